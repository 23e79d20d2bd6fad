"""Shows what a notebook and an editor tell of data sets and loaders, and what becomes of misspelt words."""

from collections.abc import Callable

import tfxio

ds = tfxio.open("fixtures/digits/digits@3.tfrecord")
print(ds)  # a notebook shows the first rows, too, and ds.stats() as a page

loader = ds.loader(inputs=["image"], targets=["label"], batch_size=32, shuffle=True, seed=7, scalars=True, threads=4)
print(loader)
print(loader.plan())
for batch in loader:
    pass
print(len(loader), "batches; the last is a", batch)
print([name for name, seconds in loader.stats().items() if isinstance(seconds, float)])  # where the time went

misspelt: list[Callable[[], object]] = [
    lambda: ds.read(filter="lable = 7"),
    lambda: ds.loader(inputs=["imgae"], batch_size=32),
    lambda: ds.loader(inputs=["image"], batch_size=32, shuffel=True),  # type: ignore[call-arg]
    lambda: tfxio.open("fixtures/digits", scalar=True),  # type: ignore[call-arg]
]  # an editor underlines the last two
for call in misspelt:
    try:
        call()
    except (KeyError, TypeError) as error:
        print(error)
