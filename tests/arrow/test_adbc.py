"""ADBC's Flight SQL client, as it comes from PyPI, scores by prepared statements."""

from __future__ import annotations

import json
import shutil

import adbc_driver_flightsql.dbapi as adbc
import numpy as np
import polars
import pyarrow as pa
import pytest
from adbc_driver_flightsql import DatabaseOptions
from served import MODELS, Served


def values(*xs: float) -> pa.RecordBatch:
    return pa.record_batch({"x": pa.array(xs, pa.float32())})


@pytest.fixture
def served(tmp_path):
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    shutil.copy(MODELS / "fixed.onnx", tmp_path / "fixed.onnx")
    server = Served(tmp_path, "--held", "1000000")
    yield server
    assert server.metrics()["goruntime_statement_bytes", ""] == 0, "answers are held after the test"
    server.stop()


@pytest.fixture
def connection(served):
    with adbc.connect(served.uri, autocommit=True) as connection:
        yield connection


def test_the_model_is_the_query_and_the_batch_its_parameters(served, connection):
    with connection.cursor() as cursor:
        for batch in (values(1, 2.5), values(*range(1000)), pa.table([values()["x"]], ["x"]), values(3)):
            found = cursor.execute("double", parameters=batch).fetch_arrow_table()
            assert found.schema.names == ["y"]
            np.testing.assert_array_equal(found.column("y").to_numpy(), 2 * batch.column("x").to_numpy())
        nothing = cursor.execute("double", values()).fetch_arrow_table()  # of no rows this client sends nothing
        assert nothing.schema.remove_metadata() == pa.schema([pa.field("y", pa.float32(), nullable=False)])
        assert nothing.num_rows == 0
        assert cursor.execute("double/1", values(4)).fetchall() == [(8,)]
    counted = served.metrics()
    assert counted["goruntime_statements", ""] == 0, "a cursor that is closed leaves a statement"
    assert counted["goruntime_copies_total", "receive"] == counted["goruntime_copies_total", "send"] == 4


def test_tables_and_frames_of_many_batches(connection):
    x = np.arange(100_000, dtype=np.float32)
    table = pa.table({"x": x})
    with connection.cursor() as cursor:
        cursor.execute("double", pa.Table.from_batches(table.to_batches(max_chunksize=999)))
        assert cursor.rowcount == len(x)
        np.testing.assert_array_equal(cursor.fetch_arrow_table().column("y").to_numpy(), 2 * x)
        np.testing.assert_array_equal(cursor.execute("double", polars.DataFrame({"x": x[:10]})).fetch_polars()["y"].to_numpy(), 2 * x[:10])
        rows = pa.record_batch({"x": pa.FixedSizeListArray.from_arrays(pa.array([-1, 2, 3, 4, -5, 6], pa.float32()), 3)})
        assert cursor.execute("fixed", rows).fetch_arrow_table().column("y").to_pylist() == [[0, 2, 3], [4, 0, 6]]


def test_messages_larger_than_the_driver_takes_by_itself(tmp_path):
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    server = Served(tmp_path)
    batch = pa.record_batch({"x": np.arange(5_000_000, dtype=np.float32)})
    for options, taken in (({}, False), ({DatabaseOptions.WITH_MAX_MSG_SIZE.value: str(256 << 20)}, True)):
        with adbc.connect(server.uri, autocommit=True, db_kwargs=options) as connection, connection.cursor() as cursor:
            if not taken:
                with pytest.raises(adbc.Error, match="larger than max"):
                    cursor.execute("double", batch)
                continue
            np.testing.assert_array_equal(cursor.execute("double", batch).fetch_arrow_table().column("y").to_numpy(), 2 * batch.column("x").to_numpy())
    server.stop()


def test_the_server_tells_who_it_is(connection):
    assert connection.adbc_get_info()["vendor_name"] == "goruntime"


def test_what_is_wrong_is_said(served, connection):
    with connection.cursor() as cursor:
        for query, batch, kind, text in (
            ("none", values(1), adbc.ProgrammingError, 'no model "none"'),
            ("SELECT 1", values(1), adbc.ProgrammingError, "a query is the name of a model, NAME or NAME/VERSION"),
            ("double", pa.record_batch({"x": [1.0]}), adbc.ProgrammingError, "f64, f32 expected"),
            ("double", values(1, None), adbc.ProgrammingError, "row 1 is null"),
            ("double", values(*range(300_000)), adbc.Error, "at most 1000000 allowed"),
        ):
            with pytest.raises(kind, match=text):
                cursor.execute(query, batch)
        with pytest.raises(adbc.NotSupportedError, match="CommandStatementIngest is not served"):
            cursor.adbc_ingest("double", values(1))
        assert cursor.execute("double", values(1)).fetchall() == [(2,)]
    assert served.metrics()["goruntime_statements", ""] == 0


def test_tokens(tmp_path):
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps([{"token": "secret"}, {"token": "other", "models": ["sum"]}]))
    server = Served(tmp_path, "--tokens", str(tokens))
    try:
        for header, kind in ((None, adbc.ProgrammingError), ("Bearer wrong", adbc.ProgrammingError), ("Bearer other", adbc.ProgrammingError)):
            options = {DatabaseOptions.AUTHORIZATION_HEADER.value: header} if header else {}
            with adbc.connect(server.uri, db_kwargs=options, autocommit=True) as c, c.cursor() as cursor:
                with pytest.raises(kind, match="token"):
                    cursor.execute("double", values(1))
        options = {DatabaseOptions.AUTHORIZATION_HEADER.value: "Bearer secret"}
        with adbc.connect(server.uri, db_kwargs=options, autocommit=True) as c, c.cursor() as cursor:
            assert cursor.execute("double", values(1)).fetchall() == [(2,)]
    finally:
        server.stop()
