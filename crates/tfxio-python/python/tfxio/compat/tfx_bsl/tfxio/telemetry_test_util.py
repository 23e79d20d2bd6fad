"""What tests of counters need."""

from __future__ import annotations

import unittest
from typing import Any

from apache_beam.metrics.metric import MetricResults, MetricsFilter


def ValidateMetrics(
    test: unittest.TestCase,
    pipeline_result: Any,
    telemetry_descriptors: list[str],
    logical_format: str,
    physical_format: str,
) -> None:
    """Fails unless a pipeline has counters and distributions in the namespace of the component, all of the two formats."""
    namespace = ".".join(["tfx", *telemetry_descriptors, "io"])
    found = pipeline_result.metrics().query(MetricsFilter().with_namespace(namespace))
    prefix = f"LogicalFormat[{logical_format}]-PhysicalFormat[{physical_format}]-"
    for kind in (MetricResults.COUNTERS, MetricResults.DISTRIBUTIONS):
        test.assertTrue(found[kind], f"no {kind} in {namespace}")
        for metric in found[kind]:
            test.assertTrue(metric.key.metric.name.startswith(prefix), metric.key.metric.name)
