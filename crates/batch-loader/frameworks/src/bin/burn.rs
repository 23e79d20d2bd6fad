//! Training with burn: `cargo run --bin burn -- ../../../fixtures/loader/digits.json /tmp/burn.json 200`
use std::error::Error;

use burn::backend::{Autodiff, NdArray};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
use tfxio_batch_loader_frameworks::{DIGITS, Model, PIXELS, RATE, train};

type Backend = Autodiff<NdArray>;

struct Regression {
    pixels: Tensor<Backend, 2>,
    bias: Tensor<Backend, 1>,
}

impl Model for Regression {
    fn new(mut weights: Vec<f32>) -> Result<Self, Box<dyn Error>> {
        let device = Default::default();
        let bias = weights.split_off(PIXELS * DIGITS);
        let pixels = Tensor::from_data(TensorData::new(weights, [PIXELS, DIGITS]), &device).require_grad();
        Ok(Self { pixels, bias: Tensor::from_data(TensorData::new(bias, [DIGITS]), &device).require_grad() })
    }

    fn learn(&mut self, images: Vec<f32>, labels: Vec<i64>) -> Result<f32, Box<dyn Error>> {
        let (device, rows) = (Default::default(), labels.len());
        let images = Tensor::<Backend, 2>::from_data(TensorData::new(images, [rows, PIXELS]), &device) / 16.0;
        let labels = Tensor::<Backend, 2, Int>::from_data(TensorData::new(labels, [rows, 1]), &device);
        let scores = images.matmul(self.pixels.clone()) + self.bias.clone().unsqueeze();
        let loss = log_softmax(scores, 1).gather(1, labels).mean().neg();
        let gradients = loss.backward();
        let pixels = self.pixels.grad(&gradients).ok_or("a gradient")?;
        self.pixels = Tensor::from_inner(self.pixels.clone().inner() - pixels * RATE).require_grad();
        let bias = self.bias.grad(&gradients).ok_or("a gradient")?;
        self.bias = Tensor::from_inner(self.bias.clone().inner() - bias * RATE).require_grad();
        Ok(loss.into_scalar())
    }

    fn weights(&self) -> Result<Vec<f32>, Box<dyn Error>> {
        let data = |data: TensorData| data.to_vec::<f32>().map_err(|error| format!("{error:?}"));
        let mut weights = data(self.pixels.to_data())?;
        weights.extend(data(self.bias.to_data())?);
        Ok(weights)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    train::<Regression>()
}
