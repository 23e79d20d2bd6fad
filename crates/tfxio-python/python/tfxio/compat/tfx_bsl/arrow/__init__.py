"""Functions over arrays and record batches of pyarrow."""
