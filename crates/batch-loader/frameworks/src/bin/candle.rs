//! Training with candle: `cargo run --bin candle -- ../../../fixtures/loader/digits.json /tmp/candle.json 200`
use std::error::Error;

use candle_core::{D, Device, Tensor, Var};
use tfxio_batch_loader_frameworks::{DIGITS, Model, PIXELS, RATE, train};

struct Regression {
    pixels: Var,
    bias: Var,
}

impl Model for Regression {
    fn new(mut weights: Vec<f32>) -> Result<Self, Box<dyn Error>> {
        let bias = weights.split_off(PIXELS * DIGITS);
        let pixels = Var::from_vec(weights, (PIXELS, DIGITS), &Device::Cpu)?;
        Ok(Self { pixels, bias: Var::from_vec(bias, DIGITS, &Device::Cpu)? })
    }

    fn learn(&mut self, images: Vec<f32>, labels: Vec<i64>) -> Result<f32, Box<dyn Error>> {
        let rows = labels.len();
        let images = (Tensor::from_vec(images, (rows, PIXELS), &Device::Cpu)? / 16.0)?;
        let labels = Tensor::from_vec(labels, (rows, 1), &Device::Cpu)?;
        let scores = images.matmul(&self.pixels)?.broadcast_add(&self.bias)?;
        let of_label = scores.gather(&labels, D::Minus1)?.squeeze(D::Minus1)?;
        let loss = (scores.log_sum_exp(D::Minus1)? - of_label)?.mean_all()?;
        let gradients = loss.backward()?;
        for weights in [&self.pixels, &self.bias] {
            let gradient = gradients.get(weights).ok_or("a gradient")?;
            weights.set(&(weights.as_tensor() - (gradient * f64::from(RATE))?)?)?;
        }
        Ok(loss.to_scalar()?)
    }

    fn weights(&self) -> Result<Vec<f32>, Box<dyn Error>> {
        let mut weights = self.pixels.flatten_all()?.to_vec1()?;
        weights.extend(self.bias.to_vec1::<f32>()?);
        Ok(weights)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    train::<Regression>()
}
