"""Records of tf.SequenceExample to record batches. The decoder is native."""

from tfxio.compat.tfx_bsl_extension.coders import SequenceExamplesToRecordBatchDecoder

__all__ = ["SequenceExamplesToRecordBatchDecoder"]
