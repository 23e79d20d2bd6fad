"""Records of tf.Example and tf.SequenceExample."""

from tfxio._lib import (
    ExampleToNumpyDict,
    ExamplesToRecordBatchDecoder,
    RecordBatchToExamplesEncoder,
    SequenceExamplesToRecordBatchDecoder,
)

__all__ = [
    "ExampleToNumpyDict",
    "ExamplesToRecordBatchDecoder",
    "RecordBatchToExamplesEncoder",
    "SequenceExamplesToRecordBatchDecoder",
]
