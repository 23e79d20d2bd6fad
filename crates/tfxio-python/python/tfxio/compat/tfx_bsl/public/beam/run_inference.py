"""Raises `ImportError`: models are not this package's."""

raise ImportError(
    "tfx_bsl.public.beam.run_inference is left out of tfxio: it applies models, and tfxio reads data. "
    'Put only the native module under tfx-bsl instead, tfxio.compat.install("tfx_bsl_extension"): see docs/compatibility.md'
)
