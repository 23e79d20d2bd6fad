"""The kinds of tensors for which adapters are compared, as schemas of TensorFlow Metadata."""

import data_sets

EXAMPLES = data_sets.SETS | data_sets.TENSOR_SETS

# Kind -> (set, the names of its columns begin so, representation of a column).
KINDS = {
    "dense_lists": ("dense", "x", "dense_tensor { column_name: '%s' shape { dim { size: 784 } } }"),
    "dense_default": ("criteo", "I", "dense_tensor { column_name: '%s' shape { } default_value { int_value: 0 } }"),
    "dense_strings": ("criteo", "C", "dense_tensor { column_name: '%s' shape { } default_value { bytes_value: 'x' } }"),
    "varlen_sparse": ("multi", "m", "varlen_sparse_tensor { column_name: '%s' }"),
    "sparse": (
        "indexed",
        "v",
        "sparse_tensor { index_column_names: 'at_%s' value_column_name: '%s' dense_shape { dim { size: 51 } } }",
    ),
    "ragged": ("multi", "m", "ragged_tensor { feature_path { step: '%s' } row_partition_dtype: INT64 }"),
    "sequence_ragged": (
        "sequence",
        "",
        "ragged_tensor { feature_path { step: '##SEQUENCE##' step: '%s' } row_partition_dtype: INT64 }",
    ),
}
# What only ours is measured with: columns whose lists are known to have one length.
FIXED = """feature { name: 'x' type: FLOAT presence { min_fraction: 1 } shape { dim { size: 784 } } }
"""
TYPES = {data_sets.INT: "INT", data_sets.FLOAT: "FLOAT", data_sets.BYTES: "BYTES"}


def columns(kind):
    """The columns of which tensors are made, one each."""
    name, prefix, _ = KINDS[kind]
    if name in data_sets.SEQUENCE_SETS:
        return data_sets.SEQUENCE_SETS[name][2]
    return {column: spec for column, spec in EXAMPLES[name][1].items() if column.startswith(prefix)}


def file_of(kind):
    name = KINDS[kind][0]
    return (data_sets.SEQUENCE_SETS.get(name) or EXAMPLES[name])[0]


def schema(kind):
    """The schema in text form: the features that are needed, and a representation for each column."""
    chosen = columns(kind)
    representation = KINDS[kind][2]
    features = [f"feature {{ name: '{name}' type: {TYPES[column.kind]} }}" for name, column in chosen.items()]
    if "at_%s" in representation:
        features += [f"feature {{ name: 'at_{name}' type: INT }}" for name in chosen]
    if "##SEQUENCE##" in representation:
        features = [f"feature {{ name: '##SEQUENCE##' type: STRUCT struct_domain {{ {' '.join(features)} }} }}"]
    tensors = [
        f"    tensor_representation {{ key: '{name}' value {{ {representation.replace('%s', name)} }} }}"
        for name in chosen
    ]
    group = ["tensor_representation_group {", "  key: ''", "  value {", *tensors, "  }", "}"]
    return "\n".join([*features, *group, ""])


def write(folder):
    (folder / "dense_fixed.pbtxt").write_text(FIXED)
    for kind in KINDS:
        (folder / f"{kind}.pbtxt").write_text(schema(kind))
