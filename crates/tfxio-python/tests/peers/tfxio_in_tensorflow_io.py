"""A plugin of pytest that puts tfxio's modules in place of tensorflow-io: `pytest -p tfxio_in_tensorflow_io`."""

import tfxio.compat

tfxio.compat.install("tensorflow_io")
