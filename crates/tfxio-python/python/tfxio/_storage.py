"""Options of stores, and what of them goes into a pickle."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tfxio import _arguments
from tfxio._warning import CredentialsWarning

#: How stores are reached: options, or a function that returns them in the process that calls it.
StorageOptions: TypeAlias = Mapping[str, str] | Callable[[], Mapping[str, str]]

#: Names that stand before those of options.
_STORES = ("aws_", "azure_storage_", "azure_", "google_")
#: Options that say where a store is and how it is spoken to, and let nobody in.
_HARMLESS = frozenset({
    "account_name",
    "allow_http",
    "allow_invalid_certificates",
    "bucket",
    "bucket_name",
    "checksum_algorithm",
    "conditional_put",
    "connect_timeout",
    "container_name",
    "copy_if_not_exists",
    "default_content_type",
    "default_region",
    "endpoint",
    "endpoint_url",
    "http1_only",
    "http2_keep_alive_interval",
    "http2_keep_alive_timeout",
    "http2_keep_alive_while_idle",
    "http2_max_frame_size",
    "http2_only",
    "imdsv1_fallback",
    "metadata_endpoint",
    "pool_idle_timeout",
    "pool_max_idle_per_host",
    "randomize_addresses",
    "region",
    "request_payer",
    "s3_express",
    "skip_signature",
    "timeout",
    "unsigned_payload",
    "use_emulator",
    "use_fabric_endpoint",
    "user_agent",
    "virtual_hosted_style_request",
})


def _is_harmless(name: str, value: str) -> bool:
    name = name.lower()
    names = [name, *(name[len(store) :] for store in _STORES if name.startswith(store))]
    # A user and a password may stand in the URL of an endpoint, and a signature in its query.
    return any(name in _HARMLESS for name in names) and not set("@?") & set(value)


class Storage:
    """The options of the stores of a data set. A pickle of it has no credentials, unless that was asked for."""

    def __init__(self, options: StorageOptions | None, pickle_credentials: bool = False) -> None:
        wanted = "a dict of str by the names of options, a function that returns it, or None"
        if options is not None and not callable(options):
            for name, value in _arguments.mapping("storage_options", wanted, options).items():
                if not isinstance(name, str) or not isinstance(value, str):
                    raise TypeError(f"storage_options is {wanted}, and has {_arguments.shown(name)}: {type(value).__name__}")
        self._options = options
        self._pickle_credentials = _arguments.flag("pickle_credentials", pickle_credentials)

    def options(self) -> dict[str, str]:
        """Returns the options, which a function says anew each time."""
        return dict((self._options() if callable(self._options) else self._options) or {})

    def __reduce__(self) -> tuple[Any, ...]:
        options = self._options
        if options is None or callable(options) or self._pickle_credentials:
            return Storage, (options, self._pickle_credentials)
        kept = {name: value for name, value in options.items() if _is_harmless(name, value)}
        if left_out := sorted(options.keys() - kept.keys()):
            warnings.warn(
                f"credentials are not pickled: {', '.join(left_out)} of storage_options; the process that reads the pickle takes them "
                "from its environment. Or give a function as storage_options, which each process calls, or pickle_credentials=True",
                CredentialsWarning,
                stacklevel=2,
            )
        return Storage, (kept, False)
