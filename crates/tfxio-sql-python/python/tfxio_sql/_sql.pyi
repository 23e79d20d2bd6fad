from typing import final

def datafusion_version() -> int: ...
@final
class Table:
    def __new__(
        cls,
        spec: str,
        storage_options: dict[str, str] | None = None,
        *,
        scalars: bool = True,
        text: bool = True,
        virtual_columns: bool = False,
        sample_rows: int = 10_000,
    ) -> Table: ...
    @property
    def spec(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __datafusion_table_provider__(self, session: object) -> object: ...
