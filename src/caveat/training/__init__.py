"""Training of the models (extra `train`: torch, transformers, safetensors)."""
