"""What tests of data sets need."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from absl.testing import absltest, parameterized

named_parameters = parameterized.named_parameters
SkipTest = absltest.SkipTest
main = tf.test.main


class TfxBslTestCase(parameterized.TestCase, tf.test.TestCase):
    """A test case that compares tensors."""

    def assertTensorsEqual(self, left: Any, right: Any, msg: str | None = None) -> None:
        """Fails unless both are tensors of one kind with the same values in the same places."""
        self.assertIsInstance(left, type(right), msg)
        if isinstance(left, (tf.RaggedTensor, tf.compat.v1.ragged.RaggedTensorValue)):
            self.assertAllEqual(left.row_splits, right.row_splits, msg)
            self.assertTensorsEqual(left.values, right.values, msg)
        elif isinstance(left, (tf.SparseTensor, tf.compat.v1.SparseTensorValue)):
            for part in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(left, part), getattr(right, part), msg)
        else:
            self.assertAllEqual(left, right, msg)
