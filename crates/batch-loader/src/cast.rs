//! Casts between dtypes, as NumPy does them.
