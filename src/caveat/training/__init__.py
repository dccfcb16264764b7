"""Training of the models by recipes (extra `train`: torch, transformers, safetensors, onnx, scipy)."""
