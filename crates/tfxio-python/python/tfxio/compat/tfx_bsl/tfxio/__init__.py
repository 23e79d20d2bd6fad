"""The input and output layer of tfx-bsl: data sets of record batches and tensors."""
