"""Records to record batches, and back."""
