"""Running the models: ONNX session, tokenizer with offsets, batches by length, decoding, calibration."""
