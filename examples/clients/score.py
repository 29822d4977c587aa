"""The Python client of docs/serving.md.

python examples/clients/score.py grpc+tcp://127.0.0.1:8815 model
"""

from __future__ import annotations

import sys

import pyarrow as pa
from pyarrow import flight


def main(uri: str, model: str) -> None:
    batch = pa.record_batch({"x": pa.array([1, 2, 3], pa.float32())})
    with flight.connect(uri) as client:
        writer, reader = client.do_exchange(flight.FlightDescriptor.for_path(model))
        with writer:
            writer.begin(batch.schema)
            writer.write_batch(batch)  # and again for further batches
            answer = reader.read_chunk().data
            writer.done_writing()
    print(answer.column("y").to_pylist())


if __name__ == "__main__":
    main(*sys.argv[1:])
