//! Training with ndarray: `cargo run --bin ndarray -- ../../../fixtures/loader/digits.json /tmp/ndarray.json 200`
use std::error::Error;

use ndarray::{Array1, Array2, Axis};
use tfxio_batch_loader_frameworks::{DIGITS, Model, PIXELS, RATE, train};

struct Regression {
    pixels: Array2<f32>,
    bias: Array1<f32>,
}

impl Model for Regression {
    fn new(mut weights: Vec<f32>) -> Result<Self, Box<dyn Error>> {
        let bias = weights.split_off(PIXELS * DIGITS).into();
        Ok(Self { pixels: Array2::from_shape_vec((PIXELS, DIGITS), weights)?, bias })
    }

    fn learn(&mut self, images: Vec<f32>, labels: Vec<i64>) -> Result<f32, Box<dyn Error>> {
        let rows = labels.len();
        let images = Array2::from_shape_vec((rows, PIXELS), images)? / 16.0;
        let mut scores = images.dot(&self.pixels) + &self.bias;
        let mut loss = 0.0;
        for (mut scores, &label) in scores.rows_mut().into_iter().zip(&labels) {
            let most = scores.fold(f32::NEG_INFINITY, |most, score| most.max(*score));
            scores.mapv_inplace(|score| (score - most).exp());
            scores /= scores.sum();
            let of_label = scores.get_mut(usize::try_from(label)?).ok_or("a digit")?;
            loss -= of_label.ln();
            // The gradient by the scores is the probability of each digit, less 1 for the right one.
            *of_label -= 1.0;
        }
        let rate = RATE / rows as f32;
        self.pixels.scaled_add(-rate, &images.t().dot(&scores));
        self.bias.scaled_add(-rate, &scores.sum_axis(Axis(0)));
        Ok(loss / rows as f32)
    }

    fn weights(&self) -> Result<Vec<f32>, Box<dyn Error>> {
        Ok(self.pixels.iter().chain(&self.bias).copied().collect())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    train::<Regression>()
}
