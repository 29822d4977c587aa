//go:build pyext

/* native_arrow_cast.c: numbers as those of another type. A cast rounds to floats, and
 * changes no number else: what the other type cannot hold is refused. */
#include <math.h>

#include "native_arrow.h"

const int64_t gr_widths[NUM_DTYPES] = {[1] = 4, [2] = 1, [3] = 1, [4] = 2, [5] = 2, [6] = 4, [7] = 8, [10] = 2, [11] = 8, [12] = 4, [13] = 8};

static const char *const names[NUM_DTYPES] = {[1] = "float32", [2] = "uint8", [3] = "int8", [4] = "uint16", [5] = "int16", [6] = "int32",
                                              [7] = "int64", [11] = "float64", [12] = "uint32", [13] = "uint64"};

/* The types of numbers that C has too, floats (R) and whole ones (W). */
#define NUMBERS(X)                                                                                              \
  X(1, float, R) X(2, uint8_t, W) X(3, int8_t, W) X(4, uint16_t, W) X(5, int16_t, W) X(6, int32_t, W) X(7, int64_t, W) \
  X(11, double, R) X(12, uint32_t, W) X(13, uint64_t, W)

/* The least float above all of a whole type, and its least. */
#define END(B) (((B)-1 < (B)1 ? 1.0 : 2.0) * (double)((uint64_t)1 << (8 * sizeof(B) - 1)))
#define START(B) ((B)-1 < (B)1 ? -END(B) : 0.0)

/* MISFIT_from_to sets y to x and tells whether it is not. */
#define MISFIT_WW(B, x, y) __builtin_add_overflow(x, 0, &y)
#define MISFIT_WR(B, x, y) (y = (B)x, 0)
#define MISFIT_RR(B, x, y) (y = (B)x, isinf(y) && !isinf(x))
#define MISFIT_RW(B, x, y) ((double)x >= START(B) && (double)x < END(B) && (double)x == trunc((double)x) ? (y = (B)x, 0) : (y = 0, 1))

/* castN converts n numbers of type N, which need not be aligned. */
#define CAST_TO(N, B, BK, A, AK)                                             \
  case N: {                                                                  \
    int misfit = 0;                                                          \
    for (int64_t i = 0; i < n; i++) {                                        \
      A x;                                                                   \
      B y;                                                                   \
      memcpy(&x, (const char *)source + i * (int64_t)sizeof x, sizeof x);    \
      misfit |= MISFIT_##AK##BK(B, x, y);                                    \
      ((B *)target)[i] = y;                                                  \
    }                                                                        \
    for (int64_t i = 0; misfit && i < n; i++) {                              \
      A x;                                                                   \
      B y;                                                                   \
      memcpy(&x, (const char *)source + i * (int64_t)sizeof x, sizeof x);    \
      if (MISFIT_##AK##BK(B, x, y)) return i;                                \
      ((B *)target)[i] = y;                                                  \
    }                                                                        \
    return -1;                                                               \
  }
#define CAST_FROM(N, A, AK)                                                                  \
  static int64_t cast##N(void *target, const void *source, int64_t n, int to) {              \
    switch (to) {                                                                            \
      CASTS_TO(A, AK)                                                                        \
    }                                                                                        \
    return -1;                                                                               \
  }
#define CASTS_TO(A, AK)                                                                                                    \
  CAST_TO(1, float, R, A, AK) CAST_TO(2, uint8_t, W, A, AK) CAST_TO(3, int8_t, W, A, AK) CAST_TO(4, uint16_t, W, A, AK)    \
  CAST_TO(5, int16_t, W, A, AK) CAST_TO(6, int32_t, W, A, AK) CAST_TO(7, int64_t, W, A, AK) CAST_TO(11, double, R, A, AK)  \
  CAST_TO(12, uint32_t, W, A, AK) CAST_TO(13, uint64_t, W, A, AK)
NUMBERS(CAST_FROM)

static int64_t (*const casts_from[NUM_DTYPES])(void *, const void *, int64_t, int) = {
    [1] = cast1, [2] = cast2, [3] = cast3, [4] = cast4, [5] = cast5, [6] = cast6, [7] = cast7, [11] = cast11, [12] = cast12, [13] = cast13,
};

int gr_castable(int dtype) { return dtype > 0 && dtype < NUM_DTYPES && casts_from[dtype] != NULL; }

int64_t gr_cast(void *target, int to, const void *source, int from, int64_t n) { return casts_from[from](target, source, n, to); }

PyObject *gr_raise_misfit(const char *column, int64_t row, const void *source, int from, int64_t i, int to) {
  char value[40] = "";
#define WRITE(N, A, K)                                                                              \
  case N: {                                                                                         \
    A x;                                                                                            \
    memcpy(&x, (const char *)source + i * (int64_t)sizeof x, sizeof x);                             \
    if (#K[0] == 'R') snprintf(value, sizeof value, "%.17g", (double)x);                            \
    else if ((A)-1 < (A)1) snprintf(value, sizeof value, "%lld", (long long)x);                     \
    else snprintf(value, sizeof value, "%llu", (unsigned long long)x);                              \
    break;                                                                                          \
  }
  switch (from) { NUMBERS(WRITE) }
#undef WRITE
  return gr_raise_text(GR_ARGUMENT, "the column '%s' has %s in row %lld, which is no %s: a cast rounds to floats, and changes no number else", column, value,
                       (long long)row, names[to]);
}

PyObject *gr_arrow_cast(PyObject *module, PyObject *args) {
  (void)module;
  PyArrayObject *value;
  PyObject *arena;
  const char *name;
  int dtype;
  if (!PyArg_ParseTuple(args, "O!iOs", &PyArray_Type, &value, &dtype, &arena, &name)) return NULL;
  uint64_t io = gr_arena_handle(arena);
  if (io == (uint64_t)-1) return NULL;
  PyObject *array = gr_block_like(io, dtype, PyArray_NDIM(value), PyArray_DIMS(value), COPY_CONVERSION);
  if (array == NULL) return NULL;
  int from = gr_dtype_of(value);
  if (!gr_castable(from) || !gr_castable(dtype) || !PyArray_IS_C_CONTIGUOUS(value)) {
    if (PyArray_CopyInto((PyArrayObject *)array, value) < 0) Py_CLEAR(array);
    return array;
  }
  npy_intp n = PyArray_SIZE(value);
  int64_t misfit = gr_cast(PyArray_DATA((PyArrayObject *)array), dtype, PyArray_DATA(value), from, n);
  if (misfit < 0) return array;
  Py_DECREF(array);
  return gr_raise_misfit(name, misfit / (n / PyArray_DIM(value, 0)), PyArray_DATA(value), from, misfit, dtype);
}
