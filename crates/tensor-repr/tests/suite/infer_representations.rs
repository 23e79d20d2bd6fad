//! Representations inferred from a schema, beyond the recorded cases.

use tensor_repr::{FeatureType, Kind, Representation, TfmdSchema};

/// Returns the message of a schema.
fn proto(schema: &TfmdSchema) -> golden_cases::proto::metadata::v0::Schema {
    golden_cases::proto::schema(schema.as_binary())
}

fn schema(text: &str) -> TfmdSchema {
    TfmdSchema::from_text(text).unwrap()
}

/// Returns the inferred representations, a line each.
fn inferred(text: &str) -> String {
    let tensors = schema(text).infer_representations().unwrap();
    tensors.iter().map(|(name, representation)| format!("{name}: {}\n", representation.to_json())).collect()
}

#[track_caller]
fn fails<T: std::fmt::Debug>(result: Result<T, tensor_repr::Error>, kind: Kind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
}

#[test]
fn the_legacy_rules_go_by_value_counts() {
    let text = r#"
        generate_legacy_feature_spec: true
        feature { name: "scalar" type: INT value_count { min: 1 max: 1 } }
        feature { name: "sure" type: INT value_count { min: 1 max: 1 } presence { min_fraction: 1 } }
        feature { name: "vector" type: FLOAT value_count { min: 3 max: 3 } presence { min_fraction: 0.5 } }
        feature { name: "bytes" type: BYTES value_count { min: 1 max: 1 } }
        feature { name: "any" type: INT value_count { min: 0 max: 3 } }
        feature { name: "none" type: INT value_count { min: 0 max: 0 } }
        feature { name: "shaped" type: INT shape { } presence { min_fraction: 1 } }
        feature { name: "untyped" presence { min_fraction: 1 } value_count { min: 2 max: 2 } }
        feature { name: "old" type: INT value_count { min: 1 max: 1 } deprecated: true }
        feature { name: "planned" type: INT lifecycle_stage: PLANNED value_count { min: 1 max: 1 } }
        feature { name: "s" type: STRUCT struct_domain { feature { name: "x" type: INT } } }
        sparse_feature { name: "sparse" index_feature { name: "any" } value_feature { name: "none" } }"#;
    let wanted = r#"any: {"kind":"varlen_sparse","column":"any"}
bytes: {"kind":"dense","column":"bytes","shape":[],"default":""}
none: {"kind":"varlen_sparse","column":"none"}
s.x: {"kind":"ragged","column":["s","x"]}
scalar: {"kind":"dense","column":"scalar","shape":[],"default":-1}
shaped: {"kind":"varlen_sparse","column":"shaped"}
sure: {"kind":"dense","column":"sure","shape":[]}
untyped: {"kind":"dense","column":"untyped","shape":[2]}
vector: {"kind":"dense","column":"vector","shape":[3],"default":-1.0}
"#;
    assert_eq!(inferred(text), wanted);
    let ragged = text.replace("true\n", "true represent_variable_length_as_ragged: true\n");
    assert!(inferred(&ragged).starts_with(r#"any: {"kind":"ragged","column":"any"}"#));

    let legacy = |feature: &str| {
        schema(&format!("generate_legacy_feature_spec: true feature {{ name: \"a\" {feature} }}"))
            .infer_representations()
    };
    let invalid = Kind::InvalidSchema;
    fails(legacy("type: INT value_count { min: -1 }"), invalid, "feature \"a\" has value_count.min -1");
    fails(legacy("type: INT value_count { max: -2 }"), invalid, "feature \"a\" has value_count.max -2");
    fails(
        legacy("value_count { min: 1 max: 1 }"),
        invalid,
        "feature \"a\" has no type, and so no default value",
    );
}

#[test]
fn what_is_inferred_has_shapes_names_and_domains() {
    let text = r#"
        feature { name: "d" type: INT shape { dim { size: 2 name: "rows" } dim { size: 3 } }
                  presence { min_fraction: 1 } }
        feature { name: "i" type: INT domain: "places" }
        feature { name: "v" type: FLOAT }
        feature { name: "twice" type: INT shape { } }
        feature { name: "twice" type: INT }
        feature { name: "gone" type: INT }
        feature { name: "gone" type: INT deprecated: true }
        feature { name: "s" type: STRUCT struct_domain {
            feature { name: "x" type: INT } feature { name: "y" lifecycle_stage: ALPHA } } }
        sparse_feature { name: "sp" index_feature { name: "i" } value_feature { name: "v" } is_sorted: true }
        int_domain { name: "places" min: 0 max: 9 }"#;
    let wanted = r#"d: {"kind":"dense","column":"d","shape":[2,3],"dim_names":["rows",null]}
s.x: {"kind":"ragged","column":["s","x"]}
sp: {"kind":"sparse","dense_shape":[10],"index_columns":["i"],"value_column":"v","already_sorted":true}
twice: {"kind":"varlen_sparse","column":"twice"}
"#;
    assert_eq!(inferred(text), wanted);
}

#[test]
fn of_features_and_tensors_of_one_name_the_last_counts() {
    let (sparse, dense) = (r#"name: "a" type: INT"#, r#"name: "a" type: INT value_count { min: 2 max: 2 }"#);
    let shape = r#"name: "a" type: INT shape { dim { size: 2 } } presence { min_fraction: 1 }"#;
    let named = |first: &str, last: &str| {
        let schema = format!("feature {{ {first} }} feature {{ {last} }}");
        (inferred(&schema), inferred(&format!("{schema} generate_legacy_feature_spec: true")))
    };
    let varlen = "a: {\"kind\":\"varlen_sparse\",\"column\":\"a\"}\n";
    assert_eq!(named(shape, sparse), (varlen.to_owned(), varlen.to_owned()));
    assert!(named(sparse, shape).0.contains(r#""kind":"dense","column":"a","shape":[2]"#));
    assert!(named(sparse, dense).1.contains(r#""kind":"dense","column":"a","shape":[2]"#));

    let tensor = |column: &str| {
        let value = format!("varlen_sparse_tensor {{ column_name: \"{column}\" }}");
        format!("tensor_representation {{ key: \"t\" value {{ {value} }} }}")
    };
    let one =
        |columns: [&str; 2]| format!("key: \"\" value {{ {} {} }}", tensor(columns[0]), tensor(columns[1]));
    let group = |text: &str| schema(text).group("").unwrap().unwrap().remove("t").unwrap();
    let last = group(&format!("tensor_representation_group {{ {} }}", one(["a", "b"])));
    assert_eq!(last.source_columns(), ["b".into()]);
    let groups = ["a", "b"].map(|column| format!("tensor_representation_group {{ {} }}", one([column; 2])));
    assert_eq!(group(&groups.concat()).source_columns(), ["b".into()]);
}

#[test]
fn a_projection_has_a_sparse_feature_as_its_tensor_alone() {
    let text = r#"
        feature { name: "i" type: INT int_domain { min: 0 max: 9 } } feature { name: "v" type: FLOAT }
        feature { name: "w" type: INT }
        sparse_feature { name: "sp" index_feature { name: "i" } value_feature { name: "v" } }"#;
    let names = |schema: &TfmdSchema| {
        let tensors = schema.infer_mixed_representations("").unwrap();
        (tensors.into_keys().collect::<Vec<_>>(), schema.to_text().contains("sparse_feature"))
    };
    let project = |text: &str, tensors: &[&str]| names(&schema(text).project(tensors).unwrap());
    assert_eq!(project(text, &["sp"]), (vec!["sp".to_owned()], false));
    assert_eq!(project(text, &["w"]), (vec!["w".to_owned()], false));
    let plain = |name: &str| {
        let value = format!("varlen_sparse_tensor {{ column_name: \"{name}\" }}");
        format!("tensor_representation {{ key: \"{name}\" value {{ {value} }} }}")
    };
    let group = format!("tensor_representation_group {{ value {{ {} {} }} }}", plain("i"), plain("v"));
    // Its parts are there, and it is not asked for.
    assert_eq!(
        project(&format!("{text} {group}"), &["i", "v"]),
        (vec!["i".to_owned(), "v".to_owned()], false)
    );
}

#[test]
fn a_schema_that_contradicts_itself_is_refused() {
    let infer = |text: &str| schema(text).infer_representations();
    let invalid = Kind::InvalidSchema;
    let sparse = |domain: &str| {
        format!(
            "feature {{ name: \"i\" {domain} }} feature {{ name: \"v\" }} sparse_feature {{ name: \"sp\" \
             index_feature {{ name: \"i\" }} value_feature {{ name: \"v\" }} }}"
        )
    };
    fails(
        infer("feature { name: \"a\" shape { } presence { min_fraction: 0.5 } }"),
        invalid,
        "feature \"a\" has a shape, and its presence.min_fraction is 0.5: a shape needs 1; use value_count if the \
         feature may be absent",
    );
    fails(
        infer("feature { name: \"a\" shape { dim { size: -1 } } presence { min_fraction: 1 } }"),
        invalid,
        "feature \"a\" has a dimension of size -1",
    );
    let index = "sparse feature \"sp\": the int_domain of its index feature \"i\"";
    for (domain, fault) in [
        ("int_domain { max: 3 }", "has no min, which must be 0"),
        ("int_domain { min: 1 max: 3 }", "has min 1, which must be 0"),
        ("int_domain { min: 0 }", "has no max, so that the dimension has no size"),
        ("int_domain { min: 0 max: -1 }", "has max -1, which must not be negative"),
    ] {
        fails(infer(&sparse(domain)), invalid, &format!("{index} {fault}"));
    }
    let largest = inferred(&sparse("int_domain { min: 0 max: 9223372036854775807 }"));
    assert!(largest.contains("9223372036854775808"), "{largest}");
    fails(
        infer("feature { name: \"v\" } sparse_feature { name: \"sp\" index_feature { name: \"i\" } }"),
        invalid,
        "sparse feature \"sp\" has the index feature \"i\", which the schema does not have, or which is part of a \
         sparse feature already",
    );
    let unsupported = Kind::Unsupported;
    fails(
        infer("feature { name: \"s\" type: STRUCT struct_domain { feature { name: \"t\" type: STRUCT } } }"),
        unsupported,
        "\"s.t\" is a struct in a struct: nothing is inferred for it; give it a tensor_representation_group",
    );
    fails(
        infer("feature { name: \"s\" type: STRUCT struct_domain { sparse_feature { name: \"q\" } } }"),
        unsupported,
        "struct \"s\" has a sparse feature, \"q\": nothing is inferred for it; give it a tensor_representation_group",
    );
}

const GROUPS: &str = r#"
    feature { name: "a" type: INT }
    feature { name: "b" type: FLOAT }
    feature { name: "s" type: STRUCT struct_domain { feature { name: "x" type: INT } feature { name: "y" type: INT } } }
    feature { name: "gone" type: INT lifecycle_stage: DISABLED }
    tensor_representation_group { key: "" value {
        tensor_representation { key: "t" value { varlen_sparse_tensor { column_name: "a" } } }
        tensor_representation { key: "u" value { ragged_tensor { feature_path { step: "s" step: "x" } } } } } }
    tensor_representation_group { key: "all" value {
        tensor_representation { key: "n" value { structured_tensor {
            column { step: "a" } column { step: "b" } column { step: "s" step: "x" } column { step: "s" step: "y" } } } } } }
    tensor_representation_group { key: "bad" value { tensor_representation { key: "none" value { } } } }
    tensor_representation_group { key: "zz" value {
        tensor_representation { key: "t" value { varlen_sparse_tensor { column_name: "zz" } } } } }"#;

#[test]
fn a_group_is_taken_by_its_name() {
    let schema = schema(GROUPS);
    let names = |group: Option<&str>| {
        let tensors = schema.representations(group).unwrap();
        tensors.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(names(Some("")), ["t", "u"]);
    assert_eq!(names(Some("all")), ["n"]);
    // Inferred ones for what the default group does not use.
    assert_eq!(names(None), ["b", "s.y", "t", "u"]);
    fails(
        schema.representations(Some("other")),
        Kind::InvalidArgument,
        "the schema has no group of tensor representations \"other\"; it has \"\", \"all\", \"bad\", \"zz\"",
    );
    fails(
        TfmdSchema::default().required_group(""),
        Kind::InvalidArgument,
        "the schema has no group of tensor representations \"\"; it has none",
    );
    fails(
        schema.group("bad"),
        Kind::InvalidRepresentation,
        "tensor \"none\": the representation has no kind: set dense_tensor or one of its like",
    );
}

#[test]
fn a_group_must_use_every_feature_and_no_other() {
    let schema = schema(GROUPS);
    schema.validate_group("all").unwrap();
    fails(
        schema.validate_group(""),
        Kind::InvalidSchema,
        "the tensor representations of group \"\" leave out features of the schema: \"b\", \"s.y\"",
    );
    fails(
        schema.validate_group("zz"),
        Kind::InvalidSchema,
        "the tensor representations of group \"zz\" use features that the schema does not have: \"zz\"",
    );
    let many: String = (0..12).map(|n| format!("feature {{ name: \"f{n:02}\" }} ")).collect();
    let many = TfmdSchema::from_text(&format!("{many} tensor_representation_group {{ }}")).unwrap();
    let error = many.validate_group("").unwrap_err().to_string();
    assert!(error.ends_with("\"f00\", \"f01\", \"f02\", \"f03\", \"f04\", \"f05\", \"f06\", \"f07\", \"f08\", \"f09\" and 2 more"), "{error}");
}

#[test]
fn a_group_is_replaced_and_the_rest_stays() {
    let schema = schema(&format!("{GROUPS} 777: \"unknown\""));
    let tensors = schema.group("all").unwrap().unwrap();
    let changed = schema.replacing_group("", &tensors).unwrap();
    assert_eq!(changed.group("").unwrap().unwrap(), tensors);
    assert_eq!(changed.groups().count(), 4);
    assert_eq!(proto(&changed).feature, proto(&schema).feature);
    assert!(changed.to_text().contains("777: \"unknown\""));
    let dense = Representation::from_json(r#"{"kind": "dense", "column": "a", "shape": [null]}"#).unwrap();
    fails(
        schema.replacing_group("", &[("t".to_owned(), dense)].into()),
        Kind::NotExpressible,
        "tensor \"t\": a TensorRepresentation message cannot say a dimension of unknown size in a dense tensor; the \
         JSON form can",
    );
}

#[test]
fn a_projection_keeps_what_still_means_something() {
    let text = r#"feature {
  name: "a"
  type: BYTES
  domain: "words"
  60: 1
}
feature {
  name: "b"
  type: FLOAT
}
feature {
  name: "s"
  type: STRUCT
  struct_domain {
    feature {
      name: "x"
      type: INT
      61: 2
    }
    feature {
      name: "y"
      type: INT
    }
    sparse_feature {
      name: "in"
      index_feature {
        name: "y"
      }
    }
    62: 3
  }
  63: 4
}
string_domain {
  name: "words"
  value: "one"
}
string_domain {
  name: "others"
  value: "two"
}
default_environment: "TRAINING"
sparse_feature {
  name: "sp"
  index_feature {
    name: "a"
  }
  value_feature {
    name: "b"
  }
}
weighted_feature {
  name: "w"
  feature {
    step: "a"
  }
  weight_feature {
    step: "a"
  }
}
tensor_representation_group {
  key: ""
  value {
    tensor_representation {
      key: "t"
      value {
        varlen_sparse_tensor {
          column_name: "a"
          64: 5
        }
      }
    }
    tensor_representation {
      key: "u"
      value {
        ragged_tensor {
          feature_path {
            step: "s"
            step: "x"
          }
        }
      }
    }
    tensor_representation {
      key: "v"
      value {
        varlen_sparse_tensor {
          column_name: "b"
        }
      }
    }
  }
}
tensor_representation_group {
  key: "other"
  value {
  }
}
65: 6
"#;
    let projected = schema(text).project(["t", "u"]).unwrap();
    let wanted = text
        .replace("feature {\n  name: \"b\"\n  type: FLOAT\n}\n", "")
        .replace("    feature {\n      name: \"y\"\n      type: INT\n    }\n", "")
        .replace(
            "    sparse_feature {\n      name: \"in\"\n      index_feature {\n        name: \"y\"\n      }\n    }\n",
            "",
        )
        .replace("string_domain {\n  name: \"others\"\n  value: \"two\"\n}\n", "")
        .replace(
            "sparse_feature {\n  name: \"sp\"\n  index_feature {\n    name: \"a\"\n  }\n  value_feature {\n    \
             name: \"b\"\n  }\n}\n",
            "",
        )
        .replace(
            "    tensor_representation {\n      key: \"v\"\n      value {\n        varlen_sparse_tensor {\n          \
             column_name: \"b\"\n        }\n      }\n    }\n",
            "",
        )
        .replace("tensor_representation_group {\n  key: \"other\"\n  value {\n  }\n}\n", "");
    assert_eq!(projected.to_text(), wanted);
    assert_eq!(projected.project(["t", "u"]).unwrap(), projected);
    fails(
        schema(text).project(["t", "b"]),
        Kind::UnknownTensor,
        "no tensor \"b\"; there are \"t\", \"u\", \"v\"",
    );
    fails(
        schema(
            "tensor_representation_group { value { tensor_representation { key: \"t\" value { \
                varlen_sparse_tensor { column_name: \"a\" } } } } }",
        )
        .project(["t"]),
        Kind::InvalidSchema,
        "tensors are made of features that the schema does not have: \"a\"",
    );
}

#[test]
fn what_tensorflow_cannot_parse_is_refused() {
    let representation = |json: &str| Representation::from_json(json).unwrap();
    let dense = representation(r#"{"kind": "dense", "column": "a", "shape": [2], "default": 1.5}"#);
    fails(
        dense.feature_spec(FeatureType::Int),
        Kind::TypeMismatch,
        "the default Float(1.5) is not of dtype int64",
    );
    fails(
        dense.feature_spec(FeatureType::Struct),
        Kind::NotExpressible,
        "no feature spec is for values of type STRUCT",
    );
    fails(
        representation(r#"{"kind": "varlen_sparse", "column": "a", "dtype": "int32"}"#)
            .feature_spec(FeatureType::Int),
        Kind::TypeMismatch,
        "the representation wants int32, the feature is int64",
    );
    fails(
        representation(r#"{"kind": "structured", "columns": ["a"]}"#).feature_spec(FeatureType::Int),
        Kind::NotExpressible,
        "no feature spec makes a structured tensor",
    );
    fails(
        representation(r#"{"kind": "ragged", "column": []}"#).feature_spec(FeatureType::Int),
        Kind::InvalidRepresentation,
        "a column path has no steps",
    );
    fails(
        representation(r#"{"kind": "ragged", "column": ["s", "a"]}"#).feature_spec(FeatureType::Int),
        Kind::NotExpressible,
        "column \"s.a\": a feature spec names a feature, not a path into a struct",
    );
    fails(
        schema(GROUPS).example_specs(),
        Kind::NotExpressible,
        "tensor \"s.y\", column \"s.y\": a feature spec names a feature, not a path into a struct",
    );
    let specs = schema(GROUPS).sequence_example_specs().unwrap();
    assert!(specs.context.keys().eq(["t"]) && specs.sequence.keys().eq(["u"]));
    fails(
        schema(
            "tensor_representation_group { value { tensor_representation { key: \"t\" value { \
                varlen_sparse_tensor { column_name: \"a\" } } } } }",
        )
        .sequence_example_specs(),
        Kind::InvalidSchema,
        "tensor \"t\", column \"a\": the schema has no such feature, or it is a struct",
    );
}
