"""Inference, which is left out: `run_inference` says why."""
