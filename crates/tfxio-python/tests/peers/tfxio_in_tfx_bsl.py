"""A plugin of pytest that puts tfxio's extension in place of that of tfx-bsl: `pytest -p tfxio_in_tfx_bsl`."""

import tfxio.compat

tfxio.compat.install("tfx_bsl_extension")
