//go:build pyext

/* native_packed.c: element types below a byte. ONNX packs them, the first element
 * in the low bits (onnx.proto, TensorProto.raw_data); ml_dtypes gives each a byte. */
#include "native.h"

static const signed char bits_of[NUM_DTYPES] = {[21] = 4, [22] = 4, [23] = 4, [25] = 2, [26] = 2, [27] = 6, [28] = 6};

/* gr_packed tells whether elements of a type are narrower than a byte. */
int gr_packed(int dtype) { return dtype > 0 && dtype < NUM_DTYPES && bits_of[dtype] != 0; }

/* get returns the bits of element i of packed elements. */
static unsigned char get(const unsigned char *from, npy_intp i, int bits) {
  npy_intp at = i * bits / 8;
  int shift = (int)(i * bits % 8);
  unsigned x = from[at];
  if (shift + bits > 8) x |= (unsigned)from[at + 1] << 8;
  return (unsigned char)(x >> shift & ((1U << bits) - 1));
}

/* put adds element i to packed elements that are 0 from there on. */
static void put(unsigned char *to, npy_intp i, int bits, unsigned char code) {
  npy_intp at = i * bits / 8;
  int shift = (int)(i * bits % 8);
  unsigned x = (code & ((1U << bits) - 1)) << shift;
  to[at] |= (unsigned char)x;
  if (shift + bits > 8) to[at + 1] |= (unsigned char)(x >> 8);
}

/* gr_unpacked returns a new array with a byte an element; it takes the lease. */
PyObject *gr_unpacked(gr_output *output) {
  PyArray_Descr *descr = gr_descr_of(output->dtype);
  PyObject *array = descr == NULL ? NULL : PyArray_NewFromDescr(&PyArray_Type, descr, output->rank, (npy_intp *)output->dims, NULL, NULL, 0, NULL);
  if (array != NULL) {
    int bits = bits_of[output->dtype], sign = output->dtype == 22 || output->dtype == 26;
    const unsigned char *from = output->data;
    unsigned char *to = PyArray_DATA((PyArrayObject *)array), top = (unsigned char)(1 << (bits - 1));
    npy_intp n = PyArray_SIZE((PyArrayObject *)array);
    for (npy_intp i = 0; i < n; i++) {
      unsigned char x = get(from, i, bits);
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
  int bits = bits_of[dtype];
  npy_intp n = PyArray_SIZE((PyArrayObject *)array), size = (n * bits + 7) / 8;
  PyObject *block = gr_block(io, size, COPY_CONVERSION);
  if (block == NULL || PyList_Append(keep, block) < 0) {
    Py_XDECREF(block);
    return -1;
  }
  Py_DECREF(block); /* the list's */
  unsigned char *to = PyArray_DATA((PyArrayObject *)block);
  const unsigned char *from = PyArray_DATA((PyArrayObject *)array);
  memset(to, 0, (size_t)size);
  for (npy_intp i = 0; i < n; i++) put(to, i, bits, from[i]);
  *data = to;
  return 0;
}
