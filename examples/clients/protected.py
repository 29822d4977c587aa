"""The Python client of docs/serving.md for a server with a certificate and tokens.

python examples/clients/protected.py grpc+tls://127.0.0.1:8815 model ca.pem TOKEN
"""

from __future__ import annotations

import pathlib
import sys

import pyarrow as pa
from pyarrow import flight


def main(uri: str, model: str, authority: str, token: str) -> None:
    batch = pa.record_batch({"x": pa.array([1, 2, 3], pa.float32())})
    with flight.connect(uri, tls_root_certs=pathlib.Path(authority).read_bytes()) as client:
        options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())])
        writer, reader = client.do_exchange(flight.FlightDescriptor.for_path(model), options)
        with writer:
            writer.begin(batch.schema)
            writer.write_batch(batch)
            answer = reader.read_chunk().data
            writer.done_writing()
    print(answer.column("y").to_pylist())


if __name__ == "__main__":
    main(*sys.argv[1:])
