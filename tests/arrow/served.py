"""A goruntime serve under test, a process of its own."""

from __future__ import annotations

import collections
import pathlib
import signal
import subprocess
import sys
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"


class Served:
    """A server over a folder of copies."""

    def __init__(self, folder: pathlib.Path, *options: str) -> None:
        command = [sys.executable, "-c", "from goruntime.cli import main; main()", "serve", str(folder), "--port", "0", "--metrics-port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        if not first.startswith("listening on "):
            raise AssertionError(self.process.communicate()[1])
        self.uri = first.split()[-1]
        self.metrics_url = self.process.stdout.readline().split()[-1]

    def stop(self) -> str:
        self.process.send_signal(signal.SIGTERM)
        _, text = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, text
        return text

    def metrics(self) -> dict[tuple[str, str], float]:
        """Return the sums over all models, by name and by reason or state."""
        text = urllib.request.urlopen(self.metrics_url, timeout=10).read().decode()
        found: dict[tuple[str, str], float] = collections.Counter()
        for family in text_string_to_metric_families(text):
            for s in family.samples:
                found[s.name, s.labels.get("reason", s.labels.get("state", ""))] += s.value
        return found
