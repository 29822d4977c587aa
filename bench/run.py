"""Measures goruntime beside its neighbours: make bench.

Every scenario runs in a fresh process for each runtime, the runtimes in turn,
several rounds; of the rounds the least is kept. Writes bench/out/results.json, a
table to the terminal and plots beside it. Ratios are ours by onnxruntime's.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import subprocess
import sys

import models
import operators
import tabular
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scenarios import SCENARIOS

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "out"
BACKENDS = ("goruntime", "onnxruntime", "onnx.reference")
ROUNDS = int(os.environ.get("ROUNDS", "5"))


def measure(scenario: str, backend: str) -> dict[str, float]:
    """Run one scenario in a process of its own."""
    # An installed package has its bytecode; so has each neighbour here.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, str(HERE / "scenarios.py"), scenario, backend]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def least(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {key: min(r[key] for r in rounds) for key in rounds[0]}


def shown(result: dict[str, float]) -> str:
    if "bytes" in result:
        return f"{result['bytes'] / (1 << 20):.1f} MiB"
    s = result["seconds"]
    text = f"{1e6 * s:.2f} us" if s < 1e-3 else f"{1e3 * s:.2f} ms"
    return text + (f", {result['faults']:.0f} faults" if "faults" in result else "")


def ratio(a: dict[str, float], b: dict[str, float]) -> str:
    key = "bytes" if "bytes" in a else "seconds"
    return f"{a[key] / b[key]:.2f}" if b[key] else "-"


def machine() -> str:
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "?")
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"


def plot(results: dict[str, dict[str, dict[str, float]]]) -> None:
    """Draw our ratio to each neighbour, on a logarithmic scale."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = list(results)
    figure, axes = plt.subplots(figsize=(8, 4.5))
    for k, backend in enumerate(BACKENDS[1:]):
        values = []
        for name in names:
            key = "bytes" if "bytes" in results[name]["goruntime"] else "seconds"
            values.append(max(results[name][backend][key], 1e-9) / max(results[name]["goruntime"][key], 1e-9))
        axes.bar([i + 0.4 * k for i in range(len(names))], values, width=0.38, label=f"{backend} / goruntime")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks([i + 0.2 for i in range(len(names))], names, rotation=30, ha="right")
    axes.set_ylabel("times as much (time or memory)")
    axes.legend()
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig(OUT / f"ratios.{kind}", dpi=120)


def plot_timeline() -> None:
    """Draw the resident memory of each runtime through one life."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5))
    for backend in BACKENDS:
        if backend == "onnx.reference":
            continue  # it cannot be trimmed
        life: dict[str, list[float]] = measure("timeline", backend)  # type: ignore[assignment]
        axes.plot(range(len(life["sizes"])), life["sizes"], marker="o", label=backend)
        axes.set_xticks(range(len(life["story"])), life["story"], rotation=40, ha="right")
    axes.set_ylabel("resident MiB beyond numpy")
    axes.legend()
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig(OUT / f"memory.{kind}", dpi=120)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    wanted = sys.argv[1:] or list(SCENARIOS)
    rounds: dict[tuple[str, str], list[dict[str, float]]] = {}
    for _ in track(range(ROUNDS), "rounds"):
        for scenario in wanted:
            for backend in BACKENDS:
                rounds.setdefault((scenario, backend), []).append(measure(scenario, backend))
    results = {s: {b: least(rounds[s, b]) for b in BACKENDS} for s in wanted}
    table = Table(title=machine())
    for column in ("scenario", *BACKENDS, "ours / onnxruntime"):
        table.add_column(column)
    for s in wanted:
        r = results[s]
        table.add_row((SCENARIOS[s].__doc__ or s).split("\n")[0], *(shown(r[b]) for b in BACKENDS), ratio(r["goruntime"], r["onnxruntime"]))
    Console(width=160).print(table)
    (OUT / "results.json").write_text(json.dumps({"machine": machine(), "results": results}, indent=1))
    plot(results)
    plot_timeline()
    if len(sys.argv) == 1:
        models.write(machine())
        tabular.write(machine())
        operators.write(machine())


if __name__ == "__main__":
    main()
