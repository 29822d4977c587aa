"""The ADBC client of docs/serving.md.

python examples/clients/adbc.py grpc://127.0.0.1:8815 model
"""

from __future__ import annotations

import sys

import adbc_driver_flightsql.dbapi
import pyarrow as pa


def main(uri: str, model: str) -> None:
    batch = pa.record_batch({"x": pa.array([1, 2, 3], pa.float32())})
    with adbc_driver_flightsql.dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        answer = cursor.execute(model, parameters=batch).fetch_arrow_table()
    print(answer.column("y").to_pylist())


if __name__ == "__main__":
    main(*sys.argv[1:])
