//! Steps of a case on a sketch.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use serde_json::Value;
use tfxio_stats::{Error, Kmv, MisraGries, OrderOnTie, Quantiles};

/// A sketch that a case can drive.
pub(super) trait Sketch: Sized {
    fn make(parameters: &Value) -> Result<Self, Error>;
    fn add(&mut self, values: &ArrayRef, weights: Option<&ArrayRef>) -> Result<(), Error>;
    fn merge(&mut self, other: &Self) -> Result<(), Error>;
    fn compact(&mut self);
    fn reload(&self) -> Result<Self, Error>;
}

/// Makes the sketch of a case, and does its steps.
pub(super) fn sketch_of<S: Sketch>(inputs: &Value) -> Result<S, Error> {
    let mut sketch = S::make(&inputs["make"])?;
    for step in inputs["steps"].as_array().expect("steps") {
        match step["op"].as_str().expect("an op") {
            "add" => {
                let weights = step.get("weights").map(values);
                sketch.add(&values(&step["values"]), weights.as_ref())?;
            }
            "merge" => sketch.merge(&sketch_of(step)?)?,
            "compact" => sketch.compact(),
            "reload" => sketch = sketch.reload()?,
            other => panic!("the harness does not know the step {other}"),
        }
    }
    Ok(sketch)
}

/// Reads the array of VALUES.
fn values(value: &Value) -> ArrayRef {
    let Some(formula) = value["formula"].as_array() else {
        return golden_cases::arrow::array(&value["array"]);
    };
    let numbers: Vec<u64> = formula.iter().map(|number| number.as_u64().expect("a number")).collect();
    let [count, factor, modulus, divisor] = numbers[..] else { panic!("a formula has four numbers") };
    let number = |index: u64| (index * factor % modulus) as f64 / divisor as f64;
    Arc::new(Float64Array::from_iter_values((0..count).map(number)))
}

fn number(parameters: &Value, name: &str) -> usize {
    usize::try_from(parameters[name].as_u64().expect("a number")).unwrap()
}

impl Sketch for Kmv {
    fn make(parameters: &Value) -> Result<Self, Error> {
        Self::new(number(parameters, "num_buckets"))
    }

    fn add(&mut self, values: &ArrayRef, _: Option<&ArrayRef>) -> Result<(), Error> {
        Self::add(self, values)
    }

    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        Self::merge(self, other)
    }

    fn compact(&mut self) {
        panic!("not of this sketch")
    }

    fn reload(&self) -> Result<Self, Error> {
        Self::from_bytes(&self.to_bytes())
    }
}

impl Sketch for MisraGries {
    fn make(parameters: &Value) -> Result<Self, Error> {
        let mut builder = Self::builder(number(parameters, "num_buckets"));
        if let Some(placeholder) = parameters["invalid_utf8_placeholder"].as_str() {
            builder = builder.invalid_utf8_placeholder(placeholder);
        }
        if let Some(placeholder) = parameters["large_string_placeholder"].as_str() {
            builder = builder.large_strings(number(parameters, "large_string_threshold"), placeholder);
        }
        if parameters["reverse"] == true {
            builder = builder.order_on_tie(OrderOnTie::ReverseLexicographical);
        }
        builder.build()
    }

    fn add(&mut self, values: &ArrayRef, weights: Option<&ArrayRef>) -> Result<(), Error> {
        match weights {
            None => Self::add(self, values),
            Some(weights) => self.add_weighted(values, weights),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        Self::merge(self, other)
    }

    fn compact(&mut self) {
        panic!("not of this sketch")
    }

    fn reload(&self) -> Result<Self, Error> {
        Self::from_bytes(&self.to_bytes())
    }
}

impl Sketch for Quantiles {
    fn make(parameters: &Value) -> Result<Self, Error> {
        let eps = parameters["eps"].as_f64().expect("eps");
        let max_elements = parameters["max_num_elements"].as_u64().expect("a number");
        Self::new(eps, max_elements, number(parameters, "num_streams"))
    }

    fn add(&mut self, values: &ArrayRef, weights: Option<&ArrayRef>) -> Result<(), Error> {
        match weights {
            None => Self::add(self, values),
            Some(weights) => self.add_weighted(values, weights),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        Self::merge(self, other)
    }

    fn compact(&mut self) {
        Self::compact(self);
    }

    fn reload(&self) -> Result<Self, Error> {
        Self::from_bytes(&self.to_bytes())
    }
}
