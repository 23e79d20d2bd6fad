"""The names of tfx-bsl that are for everyone."""
