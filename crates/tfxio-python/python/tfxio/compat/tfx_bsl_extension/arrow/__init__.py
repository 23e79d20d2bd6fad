"""Functions over arrays and batches."""
