"""Small models that showed a fault in some runtime, with the answers that the
specification gives: each stands for a kind of fault."""

from __future__ import annotations

import pathlib

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from goruntime import ComputeError, ModelError, ReferenceEvaluator

HERE = pathlib.Path(__file__).resolve().parent

# What each case is about; a pair gives the error that must be raised and its text.
CASES: dict[str, str | tuple[type[Exception], str]] = {
    "avgpool_ceil_include_pad_opset18": "a window that ceil_mode lets hang over the edge is divided by what it covers",
    "cast_chain_keeps_narrowing": "casts through a narrower type lose what that type cannot hold",
    "consecutive_transposes": "two permutations in a row compose in their order",
    "conv_same_with_dilation": "auto_pad counts the dilated size of the kernel",
    "convtranspose_same_upper_lower": "auto_pad gives input times stride, and the odd pad goes to the named side",
    "cumsum_exclusive_unit_axis": "an exclusive sum over one element is zero",
    "dft_onesided_inner_axis": "a one-sided transform halves the axis it runs over, no other",
    "duplicate_output_name_refused": (ModelError, "is also an output of"),
    "einsum_three_operands": "indices that only one of three operands has are summed over",
    "function_omitted_optional_input": "an optional input may be left out inside a function",
    "gather_index_out_of_range_refused": (ComputeError, "out of range"),
    "gemm_identity_transpose": "a permutation that changes nothing does not flip a weight",
    "gru_linear_before_reset_no_bias": "without a bias each row of a batch starts from its own state",
    "initializer_default_overridden": "what is fed goes before a default",
    "int_mod_sign_of_divisor": "integer Mod takes the sign of the divisor and keeps 64 bits",
    "int_pow_exact": "integer powers are exact, whatever the exponent's type",
    "label_encoder_nan_key": "a key that is not a number matches values that are none",
    "logsoftmax_opset11_flattens": "before opset 13 everything behind the axis is one row",
    "loop_scan_before_update": "iterations count from 0, and a scan output is the value before its update",
    "lrn_more_channels_than_batch": "the window runs over channels",
    "nan_through_max_min_relu": "a value that is not a number stays one, also where it is broadcast",
    "nested_function_attribute": "an attribute reaches a function inside a function",
    "nllloss_ignore_minus_one_mean": "ignored targets do not count in the mean",
    "noop_feeding_mul_by_one": "operators that do nothing may stand before one that does",
    "onehot_negative_axis_and_outside": "indices outside the depth give a row of off values",
    "pad_reflect_wider_than_axis": "a pad wider than the axis reflects again and again",
    "prelu_slope_broadcast": "the slope is aligned to the right",
    "quantize_half_even_before_zero_point": "halves round to even, then the zero point is added, then it saturates",
    "reduce_over_empty_axis": "a reduction over nothing is its identity",
    "resize_cubic_exclude_outside": "weights outside are left out and the rest made to sum to one",
    "resize_nearest_floor_low_border": "an index below the border is the border",
    "scalar_constants_kept_apart": "two constants of one shape are two constants",
    "scatter_elements_negative_duplicates": "every update of one element counts in a reduction",
    "slice_negative_step_empty_and_int_min": "a step away from the end gives nothing, the lowest integer means the start",
    "split_uneven_num_outputs": "only the last of equal parts is smaller",
    "topk_ties_unsigned": "of equal values the first comes first, and unsigned ones have no sign",
}

LOOSE = {"conv_same_with_dilation", "convtranspose_same_upper_lower", "dft_onesided_inner_axis", "einsum_three_operands", "gru_linear_before_reset_no_bias",
         "resize_cubic_exclude_outside"}  # fmt: skip


def tensors(folder: pathlib.Path, kind: str) -> list[np.ndarray]:
    files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda f: int(f.stem.split("_")[1]))
    return [numpy_helper.to_array(onnx.TensorProto.FromString(f.read_bytes())) for f in files]


def test_all_cases_are_here() -> None:
    assert {f.parent.name for f in HERE.glob("*/model.onnx")} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    folder, expected = HERE / name, CASES[name]
    path, inputs = str(folder / "model.onnx"), tensors(folder, "input")

    def run() -> list[np.ndarray]:
        evaluator = ReferenceEvaluator(path)
        return evaluator.run(None, dict(zip(evaluator.input_names, inputs, strict=False)))

    if not isinstance(expected, str):
        error, text = expected
        with pytest.raises(error, match=text):
            run()
        return
    for got, want in zip(run(), tensors(folder, "output"), strict=True):
        assert got.dtype == want.dtype or want.dtype.kind in "OUS"
        assert got.shape == want.shape
        if want.dtype.kind in "OUS":
            assert [str(x) for x in got.ravel()] == [str(x) for x in want.ravel()]
        else:
            np.testing.assert_allclose(got, want, rtol=1e-4 if name in LOOSE else 1e-5, atol=1e-4 if name in LOOSE else 1e-6)
