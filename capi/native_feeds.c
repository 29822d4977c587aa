//go:build pyext

/* native_feeds.c: the inputs of a run. */
#include "native_session.h"

/* no_tensor tells whether a value for an input that nothing declares is a sequence,
 * optional or map. Numbers and texts in lists are tensors, an empty list is a sequence. */
static int no_tensor(PyObject *value) {
  if (value == Py_None || PyDict_Check(value)) return 1;
  if (!PyList_Check(value)) return 0;
  if (PyList_GET_SIZE(value) == 0) return 1;
  PyObject *first = PyList_GET_ITEM(value, 0);
  if (PyArray_Check(first)) return 1;
  if (PyArray_CheckScalar(first) || PyUnicode_Check(first)) return 0;
  if (PyObject_HasAttrString(first, "__dlpack__")) return 1;
  if (Py_EnterRecursiveCall(" in a nested value")) return -1;
  int answer = no_tensor(first);
  Py_LeaveRecursiveCall();
  return answer;
}

/* feed_undeclared puts input i into the run where it is no tensor, and nothing declares
 * what it is. It returns 1 where it is one. */
static int feed_undeclared(Run *r, Py_ssize_t i, PyObject *value, uint64_t io) {
  int other = no_tensor(value);
  if (other <= 0) return other < 0 ? -1 : 1;
  PyObject *type = gr_other_type(value);
  r->elements += SMALL_ELEMENTS; /* how many there are is not looked at */
  r->arrays[i] = type == NULL ? NULL : gr_other_from(value, PyUnicode_AsUTF8(type), io, &r->views[i]);
  Py_XDECREF(type);
  return r->arrays[i] == NULL ? -1 : 0;
}

/* feed puts input i into the run. */
static int feed(Session *self, Run *r, Py_ssize_t i, PyObject *value, uint64_t io) {
  gr_view *v = &r->views[i];
  if (self->input_types[i] != NULL) {
    r->elements += SMALL_ELEMENTS; /* how many there are is not looked at */
    return (r->arrays[i] = gr_other_from(value, self->input_types[i], io, v)) == NULL ? -1 : 0;
  }
  if (Py_TYPE(value) == gr_texts_type) {
    Texts *texts = (Texts *)value;
    r->arrays[i] = Py_NewRef(value);
    *v = (gr_view){.data = texts->items, .dims = texts->dims, .dtype = DTYPE_STRING, .rank = texts->rank};
    r->elements += SMALL_ELEMENTS;
    return 0;
  }
  if (Py_TYPE(value) == gr_columns_type) {
    Columns *columns = (Columns *)value;
    r->arrays[i] = Py_NewRef(value);
    *v = (gr_view){.dims = columns->dims, .dtype = columns->dtype, .rank = columns->rank};
    if (columns->dims[1] == 1) v->data = (void *)(uintptr_t)columns->at[0];
    else v->columns = columns->at;
    r->elements += columns->dims[0] * columns->dims[1];
    return 0;
  }
  PyObject *array;
  int other;
  if (PyArray_CheckExact(value) && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)value) && !PyArray_ISBYTESWAPPED((PyArrayObject *)value)) {
    array = Py_NewRef(value);
  } else if (self->input_dtypes[i] == 0 && (other = feed_undeclared(r, i, value, io)) <= 0) {
    return other;
  } else if ((array = gr_to_array(value, self->input_dtypes[i], io, PyTuple_GET_ITEM(self->input_names, i))) == NULL) {
    return -1;
  }
  r->arrays[i] = array;
  int dtype = gr_dtype_of((PyArrayObject *)array);
  if (dtype == DTYPE_STRING && (self->input_dtypes[i] == DTYPE_STRING || self->input_dtypes[i] == 0)) {
    PyObject *texts = gr_to_strings(array, &r->strings[i], PyTuple_GET_ITEM(self->input_names, i));
    if (texts == NULL) return -1;
    Py_SETREF(r->arrays[i], texts);
    array = texts;
  } else if (dtype < 0 || dtype == DTYPE_STRING) {
    PyObject *descr = (PyObject *)PyArray_DESCR((PyArrayObject *)array);
    gr_raise_text(GR_TYPE, "input %R: an array of %R given, which is no element type that the input takes", PyTuple_GET_ITEM(self->input_names, i), descr);
    return -1;
  }
  v->data = r->strings[i] != NULL ? (void *)r->strings[i] : PyArray_DATA((PyArrayObject *)array);
  v->dtype = dtype;
  v->rank = PyArray_NDIM((PyArrayObject *)array);
  v->dims = (const int64_t *)PyArray_DIMS((PyArrayObject *)array);
  r->elements += PyArray_SIZE((PyArrayObject *)array);
  if (!gr_packed(dtype)) return 0;
  PyObject *keep = PyList_New(0);
  int status = keep == NULL || PyList_Append(keep, array) < 0 ? -1 : gr_pack_view(array, keep, io, dtype, &v->data);
  if (keep != NULL) Py_SETREF(r->arrays[i], keep);
  return status;
}

/* gr_feed_all takes the inputs from the dict of feeds, without a lookup where they stand
 * there in the model's order. */
int gr_feed_all(Session *self, Run *r, PyObject *feeds, uint64_t io) {
  Py_ssize_t used = 0, at = 0, i = 0;
  for (; i < self->n_inputs; i++) {
    PyObject *name = PyTuple_GET_ITEM(self->input_names, i), *key, *value;
    r->views[i] = (gr_view){0};
    r->arrays[i] = NULL;
    r->strings[i] = NULL;
    r->seen = i + 1;
    if (!PyDict_Next(feeds, &at, &key, &value) || key != name) value = PyDict_GetItemWithError(feeds, name);
    if (value == NULL) {
      if (PyErr_Occurred()) return -1;
      if (self->input_optional[i]) continue;
      break;
    }
    used++;
    Py_INCREF(value); /* code that a conversion calls may change the dict */
    int status = feed(self, r, i, value, io);
    Py_DECREF(value);
    if (status < 0) return -1;
  }
  if (i == self->n_inputs && used == PyDict_GET_SIZE(feeds)) return 0;
  PyObject *failed = PyObject_CallMethod(gr_errors_module, "wrong_feeds", "OO", self->input_names, feeds);
  Py_XDECREF(failed);
  return -1;
}

