"""What Apache Beam needs."""

from tfxio.compat.tfx_bsl.beam.pickle_helpers import fix_code_type_pickling

__all__ = ["fix_code_type_pickling"]
