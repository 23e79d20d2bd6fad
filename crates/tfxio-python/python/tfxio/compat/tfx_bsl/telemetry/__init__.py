"""Counters of Apache Beam, and their namespaces."""
