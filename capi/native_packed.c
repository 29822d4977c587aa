//go:build pyext

/* native_packed.c: element types below a byte. ONNX packs them, the first element
 * in the low bits (onnx.proto, TensorProto.raw_data); ml_dtypes gives each a byte. */
#include "native.h"

static const signed char bits_of[NUM_DTYPES] = {[21] = 4, [22] = 4, [23] = 4, [25] = 2, [26] = 2};

/* gr_packed tells whether elements of a type are narrower than a byte. */
int gr_packed(int dtype) { return dtype > 0 && dtype < NUM_DTYPES && bits_of[dtype] != 0; }

/* gr_unpacked returns a new array with a byte an element; it takes the lease. */
PyObject *gr_unpacked(gr_output *output) {
  PyArray_Descr *descr = gr_descr_of(output->dtype);
  PyObject *array = descr == NULL ? NULL : PyArray_NewFromDescr(&PyArray_Type, descr, output->rank, (npy_intp *)output->dims, NULL, NULL, 0, NULL);
  if (array != NULL) {
    int bits = bits_of[output->dtype], per = 8 / bits, sign = output->dtype == 22 || output->dtype == 26;
    const unsigned char *from = output->data;
    unsigned char *to = PyArray_DATA((PyArrayObject *)array), mask = (unsigned char)((1 << bits) - 1), top = (unsigned char)(1 << (bits - 1));
    npy_intp n = PyArray_SIZE((PyArrayObject *)array);
    for (npy_intp i = 0; i < n; i++) {
      unsigned char x = from[i / per] >> (i % per * bits) & mask;
      to[i] = sign ? (unsigned char)((x ^ top) - top) : x;
    }
  }
  gr_output_drop(output);
  return array;
}

/* gr_pack_view replaces *data, where array is of such a type, by its elements
 * packed into a counted block that keep holds. Other arrays are left alone. */
int gr_pack_view(PyObject *array, PyObject *keep, uint64_t io, int dtype, void **data) {
  if (!gr_packed(dtype)) return 0;
  int bits = bits_of[dtype], per = 8 / bits;
  npy_intp n = PyArray_SIZE((PyArrayObject *)array), size = (n + per - 1) / per;
  PyObject *block = gr_block(io, size, COPY_CONVERSION);
  if (block == NULL || PyList_Append(keep, block) < 0) {
    Py_XDECREF(block);
    return -1;
  }
  Py_DECREF(block); /* the list's */
  unsigned char *to = PyArray_DATA((PyArrayObject *)block), mask = (unsigned char)((1 << bits) - 1);
  const unsigned char *from = PyArray_DATA((PyArrayObject *)array);
  memset(to, 0, (size_t)size);
  for (npy_intp i = 0; i < n; i++) to[i / per] |= (unsigned char)((from[i] & mask) << (i % per * bits));
  *data = to;
  return 0;
}
