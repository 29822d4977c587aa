"""The neighbour of goruntime serve in Python: a model behind pyarrow's own Flight
server, as its documentation has it. The model runs on the same engine."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import flight

from goruntime import ReferenceEvaluator, arrow


class Server(flight.FlightServerBase):  # type: ignore[misc]
    """Serves one model whose input is a fixed-size list of floats."""

    def __init__(self, model: str) -> None:
        super().__init__("grpc+tcp://127.0.0.1:0")
        self.evaluator = ReferenceEvaluator(model)
        _, _, _, shape, _ = self.evaluator._native.inputs[0]
        self.schema = pa.schema([pa.field(self.evaluator.input_names[0], pa.list_(pa.field("item", pa.float32(), nullable=False), shape[1]), nullable=False)])

    def get_schema(self, context: Any, descriptor: Any) -> flight.SchemaResult:
        return flight.SchemaResult(self.schema)

    def do_exchange(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        begun = False
        for chunk in reader:
            answer = pa.record_batch(arrow.score(self.evaluator, chunk.data))
            if not begun:
                writer.begin(answer.schema)
                begun = True
            writer.write_batch(answer)

    def do_action(self, context: Any, action: Any) -> Iterator[bytes]:
        yield json.dumps({"process": {"cpu_seconds": time.process_time()}}).encode()


if __name__ == "__main__":
    server = Server(sys.argv[1])
    print(f"listening on grpc+tcp://127.0.0.1:{server.port}", flush=True)
    server.serve()
