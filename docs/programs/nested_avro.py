"""Reads nested Avro: records with their decimals, values by key expressions, filters, and nulls filled for a loader."""

import tempfile
from decimal import Decimal

import pyarrow as pa

import tfxio

path = tempfile.mkdtemp() + "/orders.avro"
tea = {"sku": "tea", "qty": 5, "price": Decimal("2.50")}
pot = {"sku": "pot", "qty": None, "price": Decimal("20.25")}
orders = [
    {"id": 1, "customer": {"country": "UK"}, "items": [tea, pot]},
    {"id": 2, "customer": {"country": None}, "items": []},
    {"id": 3, "customer": None, "items": [tea]},
]
tfxio.write(pa.Table.from_pylist(orders), path)

ds = tfxio.open(path, layout="plain")
print(ds)
print(ds.head(filter="items.qty > 3 and customer.country = 'UK'", columns=["items"]))
print(ds.head(filter="customer is null", columns=["id"]))

keyed = tfxio.open(path, keys=["customer.country", "items[*].qty", "items[sku='tea'].qty"], text=True)
print(keyed.head(1))
filled = keyed.map(lambda rows: {"qty": [[qty or 0 for qty in order] for order in rows["items[*].qty"]]})
batch = next(filled.loader(inputs=["qty", "customer.country"], batch_size=3, pad=True, defaults={"customer.country": "?"}))
print(batch["qty"].tolist(), batch["customer.country"].tolist())
