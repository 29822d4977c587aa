"""Settings of sessions and runs."""

from __future__ import annotations

from typing import Any

from .enums import ExecutionMode, ExecutionOrder, GraphOptimizationLevel


class _Entries:
    """Settings by text."""

    _what = ""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def _add(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def _get(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"{self._what} does not have configuration with key: {key}")
        return self._entries[key]


_SETTINGS: dict[str, type] = {
    "intra_op_num_threads": int, "inter_op_num_threads": int, "graph_optimization_level": int, "execution_mode": int, "execution_order": int,
    "enable_profiling": bool, "profile_file_prefix": str, "enable_mem_pattern": bool, "enable_mem_reuse": bool, "enable_cpu_mem_arena": bool,
    "log_severity_level": int, "log_verbosity_level": int, "logid": str, "optimized_model_filepath": str, "use_deterministic_compute": bool,
}  # fmt: skip


class SessionOptions(_Entries):
    """How a session is opened. intra_op_num_threads counts; enable_profiling writes a
    trace; all else is accepted and kept."""

    _what = "SessionOptions"

    def __init__(self) -> None:
        super().__init__()
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.enable_profiling = False
        self.profile_file_prefix = "goruntime_profile_"
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.enable_cpu_mem_arena = True
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.use_deterministic_compute = True
        self._dimensions: dict[str, int] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse names that are no settings, and what is no number where one belongs."""
        if not name.startswith("_") and name not in _SETTINGS:
            raise AttributeError(f"SessionOptions has no setting {name!r}; it has {', '.join(sorted(_SETTINGS))}")
        if not name.startswith("_") and not isinstance(value, _SETTINGS[name]):
            raise TypeError(f"{name} is {value!r}, {_SETTINGS[name].__name__} expected")
        super().__setattr__(name, value)

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keep a setting."""
        self._add(key, value)

    def get_session_config_entry(self, key: str) -> str:
        """Return a setting that was kept."""
        return self._get(key)

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        """Accepted: shapes are those of the feeds."""
        self._dimensions[name] = value

    add_free_dimension_override_by_denotation = add_free_dimension_override_by_name

    def register_custom_ops_library(self, path: str) -> None:
        """Refuse: libraries of kernels belong to onnxruntime.

        Raises
        ------
        NotImplementedError
            always; goruntime takes kernels in Python.
        """
        raise NotImplementedError(f"{path}: libraries of onnxruntime's kernels cannot be used; see goruntime.register_custom_kernel")

    def add_initializer(self, name: str, value: Any) -> None:
        """Refuse: weights come with the model.

        Raises
        ------
        NotImplementedError
            always.
        """
        raise NotImplementedError(f"{name!r}: give the initializer with the model, or feed it")


class RunOptions(_Entries):
    """How a run is made. Setting terminate, from any thread, ends the runs that use it."""

    _what = "RunOptions"

    def __init__(self) -> None:
        super().__init__()
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.training_mode = False
        self.only_execute_path_to_fetches = True
        self._token: Any = None
        self._terminate = False

    @property
    def terminate(self) -> bool:
        """Whether runs with these options end at once."""
        return self._terminate

    @terminate.setter
    def terminate(self, value: bool) -> None:
        self._terminate = bool(value)
        if value:
            self._cancel_token().cancel()
        else:
            self._token = None

    def _cancel_token(self) -> Any:
        from ..cancel import CancelToken

        if self._token is None:
            self._token = CancelToken()
        return self._token

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keep a setting. memory.enable_memory_arena_shrinkage gives free memory back
        after the run."""
        self._add(key, value)

    def get_run_config_entry(self, key: str) -> str:
        """Return a setting that was kept."""
        return self._get(key)

    @property
    def _shrinks(self) -> bool:
        return bool(self._entries.get("memory.enable_memory_arena_shrinkage"))
