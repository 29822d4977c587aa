#!/usr/bin/env bash
# The ways to install, each in a fresh environment: those of Python run a model.
#
#     make test-install
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check="import numpy, goruntime
y, = goruntime.ReferenceEvaluator('$root/tests/models/add.onnx').run(None, {'a': numpy.ones(3, 'f'), 'b': numpy.ones(3, 'f')})
assert y.tolist() == [2, 2, 2], y
print(goruntime.__file__)"

fresh() { # NAME: an environment without anything of ours
  ${PYTHON:-python3} -m venv "$work/$1"
  echo "$work/$1/bin/python"
}

git clone -q "$root" "$work/clone"
cd "$work/clone"

echo "--- pip install ."
python=$(fresh plain)
"$python" -m pip install -q --disable-pip-version-check .
(cd / && "$python" -c "$check")

echo "--- pip install -e ."
python=$(fresh editable)
"$python" -m pip install -q --disable-pip-version-check -e .
(cd / && "$python" -c "$check")

echo "--- sdist, and the wheel built from it"
python=$(fresh sdist)
"$python" -m pip install -q --disable-pip-version-check build==1.3.0
"$python" -m build --outdir "$work/dist" .
python=$(fresh wheel)
"$python" -m pip install -q --disable-pip-version-check "$work"/dist/*.whl
(cd / && "$python" -c "$check")
python=$(fresh source)
"$python" -m pip install -q --disable-pip-version-check "$work"/dist/*.tar.gz
(cd / && "$python" -c "$check")
passed=4

if command -v go >/dev/null; then
  echo "--- make build, without Python"
  make -s build PYTHON=no-python
  ./build/goruntime --version | grep -F "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' python/goruntime/version.py)"
  passed=5
else
  echo "--- make build, without Python: left out, there is no go"
fi
echo "$passed passed, 0 failed"
