"""Tables as files for other programs: CSV, Parquet or lines of JSON, written row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import msgspec

from ..core import BadValueError, check_extra
from .output_files import check_output_file, writing_whole

Cell = str | int | float | bool | None
Row = tuple[Cell, ...]
Columns = Mapping[str, type]
"""The names of a table's columns, and what is in each: `str`, `int`, `float` or `bool`. Any cell may be empty."""
ROWS_AT_ONCE = 100_000
"""The rows that a Parquet file is written in at a time; more take more memory."""


def check_table_file(option: str, path: Path) -> None:
    """Raise before any work is done if no table can be written to `path`, the value of `option`."""
    if path.suffix not in (".csv", ".parquet"):
        raise BadValueError(option, str(path), "a file whose name ends in .csv or .parquet")
    check_output_file(option, path)
    if path.suffix == ".parquet":
        check_parquet()


def check_parquet() -> None:
    """Raise `MissingExtraError` if Parquet files cannot be written here."""
    check_extra("writing Parquet", "pyarrow", "parquet", "write CSV")


def write_table(option: str, path: Path, columns: Columns, rows: Iterable[Row]) -> None:
    """Write the whole table or nothing to a `.csv` or `.parquet` file, the value of `option`."""
    with writing_whole(option, path) as partial:
        if path.suffix == ".parquet":
            write_parquet_rows(columns, rows, partial)
        else:
            with partial.open("w", newline="", encoding="utf-8") as text:
                write_csv_rows(columns, rows, text)


def write_csv_rows(columns: Columns, rows: Iterable[Row], file: TextIO) -> None:
    """Write a table with a header row."""
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(rows)


def json_lines(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Each row as a JSON object."""
    for row in rows:
        yield msgspec.json.encode(dict(zip(columns, row, strict=True)))


def write_parquet_rows(columns: Columns, rows: Iterable[Row], path: Path) -> None:
    """Write a Parquet file; needs pyarrow."""
    check_parquet()
    import pyarrow
    from pyarrow import parquet

    kinds: dict[type, Any] = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        bool: pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(str(path), schema, compression="zstd") as writer:
        left = iter(rows)
        while some := list(islice(left, ROWS_AT_ONCE)):
            writer.write_table(pyarrow.table([list(column) for column in zip(*some, strict=True)], schema=schema))
