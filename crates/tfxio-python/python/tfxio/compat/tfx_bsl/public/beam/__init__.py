"""Transforms of Beam: `run_inference`."""
