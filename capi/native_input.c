//go:build pyext

/* native_input.c: what is fed, as arrays and lists of texts that a run may read. */
#include <math.h>

#include "native.h"

/* whole tells whether a Python scalar or a list holds whole numbers only; what no array
 * can be made of, the conversion tells. */
static int whole(PyObject *value) {
  PyObject *array = PyArray_FromAny(value, NULL, 0, 0, 0, NULL);
  int answer = 1;
  if (array != NULL && PyArray_ISFLOAT((PyArrayObject *)array)) {
    Py_SETREF(array, PyArray_FROM_OTF(array, NPY_DOUBLE, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
    npy_intp n = array == NULL ? 0 : PyArray_SIZE((PyArrayObject *)array);
    const double *x = n == 0 ? NULL : PyArray_DATA((PyArrayObject *)array);
    for (npy_intp i = 0; answer && i < n; i++) answer = isfinite(x[i]) && x[i] == floor(x[i]);
  }
  Py_XDECREF(array);
  PyErr_Clear();
  return answer;
}

/* refuse raises why a value is no array, of a dtype where one is asked for, and of which
 * input where one is named. What NumPy raised, of a number that is too large for the dtype
 * too, becomes an error of this package. It takes descr. */
static PyObject *refuse(PyArray_Descr *descr, PyObject *input, const char *why) {
  PyObject *kind, *value, *trace;
  PyErr_Fetch(&kind, &value, &trace);
  if (kind != NULL && !PyErr_GivenExceptionMatches(kind, PyExc_TypeError) && !PyErr_GivenExceptionMatches(kind, PyExc_ValueError) &&
      !PyErr_GivenExceptionMatches(kind, PyExc_OverflowError)) {
    PyErr_Restore(kind, value, trace);
  } else {
    PyObject *where = input == NULL ? PyUnicode_FromString("") : PyUnicode_FromFormat("input %R: ", input);
    int code = kind == NULL || PyErr_GivenExceptionMatches(kind, PyExc_TypeError) ? GR_TYPE : GR_ARGUMENT;
    if (where != NULL && why != NULL) gr_raise_text(code, "%U%s, %R expected: round them, or cast them with numpy", where, why, descr);
    else if (where != NULL && descr == NULL) gr_raise_text(code, "%Uwhat is given is no array: %S", where, value == NULL ? kind : value);
    else if (where != NULL) gr_raise_text(code, "%Uwhat is given is no array of %R: %S", where, descr, value == NULL ? kind : value);
    Py_XDECREF(where);
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  }
  Py_XDECREF(descr);
  return NULL;
}

/* gr_to_array returns value as an array that a run may read in place: itself
 * where it is one, in native byte order and C-contiguous, else a counted copy.
 * Texts, which no run reads in place, stay as they are: see gr_to_strings.
 * Only Python scalars and lists take the declared dtype. Errors name the input, where one
 * is given. */
PyObject *gr_to_array(PyObject *value, int dtype, uint64_t io, PyObject *input) {
  if (PyArray_Check(value)) {
    PyArrayObject *array = (PyArrayObject *)value;
    if (gr_dtype_of(array) == DTYPE_STRING) return Py_NewRef(value);
    if (PyArray_ISBYTESWAPPED(array)) return gr_copied(array, io, COPY_BYTE_ORDER);
    if (!PyArray_IS_C_CONTIGUOUS(array)) return gr_copied(array, io, COPY_NON_CONTIGUOUS);
    return Py_NewRef(value);
  }
  if (!PyArray_CheckScalar(value) && PyObject_HasAttrString(value, "__dlpack__")) {
    PyObject *array = gr_dlpack_import(NULL, value);
    if (array == NULL) return NULL;
    PyObject *ready = gr_to_array(array, dtype, io, input);
    Py_DECREF(array);
    return ready;
  }
  PyArray_Descr *descr = NULL;
  if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) || PyList_Check(value) || PyTuple_Check(value)) {
    if (dtype > 0 && dtype != DTYPE_STRING && (descr = gr_descr_of(dtype)) == NULL) return NULL;
  }
  if (descr != NULL && (PyTypeNum_ISINTEGER(descr->type_num) || descr->type_num == NPY_BOOL) && !PyLong_CheckExact(value) && !whole(value)) {
    return refuse(descr, input, "numbers with fractions are given");
  }
  Py_XINCREF(descr);
  PyObject *array = PyArray_FromAny(value, descr, 0, 0, NPY_ARRAY_CARRAY_RO, NULL);
  if (array == NULL) return refuse(descr, input, NULL);
  Py_XDECREF(descr);
  return array;
}

/* gr_to_strings returns an object array that keeps the texts alive, also where value is
 * written to, and, in *strings, a list of them that is freed with PyMem_Free. Errors name
 * the input, where one is given. */
PyObject *gr_to_strings(PyObject *value, gr_string **strings, PyObject *input) {
  PyArray_Descr *descr = PyArray_DescrFromType(NPY_OBJECT);
  PyObject *array = PyArray_FromAny(value, descr, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSURECOPY, NULL);
  if (array == NULL) return NULL;
  npy_intp n = PyArray_SIZE((PyArrayObject *)array);
  PyObject **items = PyArray_DATA((PyArrayObject *)array);
  *strings = PyMem_Malloc(sizeof(gr_string) * (size_t)(n > 0 ? n : 1));
  if (*strings == NULL) {
    Py_DECREF(array);
    return PyErr_NoMemory();
  }
  for (npy_intp i = 0; i < n; i++) {
    Py_ssize_t size = 0;
    if (items[i] == NULL || !PyUnicode_Check(items[i])) {
      PyObject *where = input == NULL ? PyUnicode_FromString("") : PyUnicode_FromFormat("input %R: ", input);
      const char *given = items[i] == NULL ? "NULL" : Py_TYPE(items[i])->tp_name;
      if (where != NULL) gr_raise_text(GR_TYPE, "%Uelement %zd is of type %s, str expected", where, (Py_ssize_t)i, given);
      Py_XDECREF(where);
    } else if (((*strings)[i].data = PyUnicode_AsUTF8AndSize(items[i], &size)) != NULL) {
      (*strings)[i].size = size;
      continue;
    }
    PyMem_Free(*strings);
    *strings = NULL;
    Py_DECREF(array);
    return NULL;
  }
  return array;
}
