//go:build pyext

/* native_custom.c: operators whose kernels are Python callables. Kernels get copies:
 * what they keep of their inputs stays as it was. */
#include "native.h"

#include <stdatomic.h>

/* make asks the factory for the kernel of one node. */
static int make(void *arg, const void *node, size_t size, const char *facts, uint64_t *kernel) {
  gr_custom_kernels *kernels = arg;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *made = PyObject_CallFunction(kernels->factory, "y#s", (const char *)node, (Py_ssize_t)size, facts);
  int status = made == NULL ? -1 : PyList_Append(kernels->list, made);
  *kernel = (uint64_t)PyList_GET_SIZE(kernels->list) - 1;
  Py_XDECREF(made);
  PyGILState_Release(state);
  return status;
}

/* copy_of returns an input as a new array, None where it is omitted. */
static PyObject *copy_of(const gr_view *v) {
  if (v->dtype == 0) return Py_NewRef(Py_None);
  if (v->dtype == GR_OTHER) return gr_other_copied(v->value, copy_of);
  gr_output o = {.data = v->data, .dtype = v->dtype, .rank = v->rank};
  memcpy(o.dims, v->dims, sizeof(int64_t) * (size_t)v->rank);
  if (v->dtype == DTYPE_STRING) return gr_strings_of(&o);
  if (gr_packed(v->dtype)) return gr_unpacked(&o);
  PyArray_Descr *descr = gr_descr_of(v->dtype);
  PyObject *array = descr == NULL ? NULL : PyArray_NewFromDescr(&PyArray_Type, descr, o.rank, (npy_intp *)o.dims, NULL, NULL, 0, NULL);
  if (array != NULL) memcpy(PyArray_DATA((PyArrayObject *)array), v->data, (size_t)PyArray_NBYTES((PyArrayObject *)array));
  return array;
}

/* Arrays that an arena has let go of, to be dropped under the interpreter's lock: a
 * list that is pushed to and taken whole. */
typedef struct Dropped {
  struct Dropped *next;
  PyObject *array;
} Dropped;
static _Atomic(Dropped *) dropped = NULL;

static int drop_all(void *unused) {
  (void)unused;
  Dropped *d = atomic_exchange(&dropped, NULL);
  while (d != NULL) {
    Dropped *next = d->next;
    Py_DECREF(d->array);
    free(d);
    d = next;
  }
  return 0;
}

/* let_go is the release of an adopted array: on any thread, without the lock. */
static void let_go(void *owner) {
  Dropped *d = owner;
  d->next = atomic_load(&dropped);
  while (!atomic_compare_exchange_weak(&dropped, &d->next, d)) continue;
  if (Py_IsInitialized()) Py_AddPendingCall(drop_all, NULL); /* where its queue is full, the next kernel drops them */
}

/* alone tells whether nobody but the caller can reach an array's memory, which is what
 * a run may give to somebody who may write to it. */
static int alone(PyObject *result) {
  PyArrayObject *array = (PyArrayObject *)result;
  return PyArray_CheckExact(result) && Py_REFCNT(result) == 1 && PyArray_CHKFLAGS(array, NPY_ARRAY_CARRAY | NPY_ARRAY_OWNDATA) &&
         PyArray_ISNOTSWAPPED(array) && PyArray_BASE(array) == NULL && ((PyArrayObject_fields *)array)->weakreflist == NULL;
}

/* adopt gives a result to the run uncopied. Returns 1, 0 where that cannot be, or -1. */
static int adopt(const gr_custom_call *call, size_t slot, PyArrayObject *array, int dtype) {
  Dropped *d = malloc(sizeof *d);
  if (d == NULL) return 0;
  d->array = Py_NewRef((PyObject *)array);
  int32_t taken = 0;
  gr_error *error = NULL;
  if (gr_custom_adopt(call->token, slot, dtype, (const int64_t *)PyArray_DIMS(array), PyArray_NDIM(array), PyArray_DATA(array), let_go, d, &taken, &error) != GR_OK) {
    gr_raise(error);
    return -1;
  }
  if (!taken) {
    Py_DECREF(d->array);
    free(d);
  }
  return taken;
}

/* is_other tells whether a result is no tensor: a dict, None, or a list that is empty or
 * holds arrays or further such values, where one of numbers is an array. So is a list
 * deeper than an array can be, which may hold itself. */
static int is_other(PyObject *result) {
  if (result == Py_None) return 1;
  for (int depth = 0; depth <= NPY_MAXDIMS; depth++) {
    if (PyDict_Check(result) || (PyArray_Check(result) && depth > 0)) return 1;
    if (!PyList_Check(result)) return 0;
    if (PyList_GET_SIZE(result) == 0) return 1;
    result = PyList_GET_ITEM(result, 0);
  }
  return 1;
}

/* put_other makes output slot of a result that is no tensor. */
static int put_other(const gr_custom_call *call, size_t slot, PyObject *result) {
  gr_view view = {0};
  PyObject *type = gr_other_type(result);
  PyObject *keep = type == NULL ? NULL : gr_other_from(result, PyUnicode_AsUTF8(type), 0, &view);
  gr_error *error = NULL;
  int status = keep == NULL ? -1 : 0;
  if (status == 0 && gr_custom_value(call->token, slot, view.value, &error) != GR_OK) {
    gr_raise(error);
    status = -1;
  }
  Py_XDECREF(keep);
  Py_XDECREF(type);
  return status;
}

/* put makes output slot of the call of a result; ours is whether nobody else can reach it. */
static int put(const gr_custom_call *call, size_t slot, PyObject *result, int ours, int in_tuple) {
  drop_all(NULL);
  if (in_tuple && is_other(result)) return put_other(call, slot, result);
  if (result == Py_None || PyDict_Check(result) || PyGen_Check(result)) {
    gr_raise_text(GR_TYPE, "the custom kernel returned a %s for output %zu, an array expected", Py_TYPE(result)->tp_name, slot);
    return -1;
  }
  PyArrayObject *array = (PyArrayObject *)PyArray_FROM_OF(result, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED);
  if (array == NULL) return -1;
  int dtype = gr_dtype_of(array);
  size_t text_size = 0;
  gr_string *strings = NULL;
  PyObject *texts = NULL;
  npy_intp n = PyArray_SIZE(array);
  int status = -1;
  if (dtype < 0 || gr_packed(dtype)) {
    gr_raise_text(GR_TYPE, "the custom kernel returned an array of %R for output %zu, which no output can hold: numbers or texts expected", PyArray_DESCR(array), slot);
    goto done;
  }
  if (ours && dtype != DTYPE_STRING) {
    int taken = adopt(call, slot, array, dtype);
    if (taken != 0) {
      status = taken < 0 ? -1 : 0;
      goto done;
    }
  }
  if (dtype == DTYPE_STRING) {
    if ((texts = gr_to_strings((PyObject *)array, &strings, NULL)) == NULL) goto done;
    for (npy_intp i = 0; i < n; i++) text_size += (size_t)strings[i].size;
  }
  void *data = NULL;
  char *text = NULL;
  gr_error *error = NULL;
  if (gr_custom_output(call->token, slot, dtype, (const int64_t *)PyArray_DIMS(array), PyArray_NDIM(array), text_size, &data, &text, &error) != GR_OK) {
    gr_raise(error);
    goto done;
  }
  status = 0;
  if (data == NULL) goto done;
  if (dtype != DTYPE_STRING) {
    memcpy(data, PyArray_DATA(array), (size_t)PyArray_NBYTES(array));
    goto done;
  }
  for (npy_intp i = 0; i < n; i++) {
    memcpy(text, strings[i].data, (size_t)strings[i].size);
    ((gr_string *)data)[i] = (gr_string){text, strings[i].size};
    text += strings[i].size;
  }
done:
  PyMem_Free(strings);
  Py_XDECREF(texts);
  Py_DECREF(array);
  return status;
}

/* refuse lets the kernel say of which node the exception is that hinders a result from
 * becoming output slot, or all from being the outputs. Returns -1. */
static int refuse(PyObject *kernel, Py_ssize_t slot, PyObject *result) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != NULL) PyException_SetTraceback(value, trace);
  PyObject *error = PyObject_CallMethod(kernel, "refused", "OnO", value, slot, result);
  if (error != NULL) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return -1;
}

/* put_all makes the outputs of a call of what the kernel returned: an array, or a
 * list or tuple of them. */
static int put_all(PyObject *kernel, const gr_custom_call *call, PyObject *results) {
  if (!PyTuple_Check(results) && !PyList_Check(results)) {
    if (call->n_outputs == 1) return put(call, 0, results, alone(results), 0) < 0 ? refuse(kernel, 0, results) : 0;
    gr_raise_text(GR_TYPE, "the custom kernel returned one value, the node has %zu outputs", call->n_outputs);
    return refuse(kernel, -1, results);
  }
  if ((size_t)PySequence_Fast_GET_SIZE(results) != call->n_outputs) {
    gr_raise_text(GR_TYPE, "the custom kernel returned %zd values, the node has %zu outputs", PySequence_Fast_GET_SIZE(results), call->n_outputs);
    return refuse(kernel, -1, results);
  }
  int sole = Py_REFCNT(results) == 1, status = 0; /* whether the list is the kernel's no more */
  for (Py_ssize_t i = 0; status == 0 && i < (Py_ssize_t)call->n_outputs; i++) {
    if (i >= PySequence_Fast_GET_SIZE(results)) { /* a result's own code changes the list */
      gr_raise_text(GR_TYPE, "the custom kernel's list of results became shorter while it was read");
      return refuse(kernel, -1, results);
    }
    PyObject *result = PySequence_Fast_GET_ITEM(results, i);
    int ours = sole && alone(result);
    Py_INCREF(result);
    if (put(call, (size_t)i, result, ours, PyTuple_Check(results)) < 0) status = refuse(kernel, i, result);
    Py_DECREF(result);
  }
  return status;
}

static int run(void *arg, const gr_custom_call *call) {
  gr_custom_kernels *kernels = arg;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *args = PyTuple_New((Py_ssize_t)call->n_inputs);
  for (size_t i = 0; args != NULL && i < call->n_inputs; i++) {
    PyObject *array = copy_of(&call->inputs[i]);
    if (array == NULL) Py_CLEAR(args);
    else PyTuple_SET_ITEM(args, (Py_ssize_t)i, array);
  }
  PyObject *kernel = PyList_GET_ITEM(kernels->list, (Py_ssize_t)call->kernel);
  PyObject *results = args == NULL ? NULL : PyObject_CallObject(kernel, args);
  int status = results == NULL ? -1 : put_all(kernel, call, results);
  Py_XDECREF(results);
  Py_XDECREF(args);
  PyGILState_Release(state);
  return status;
}

/* gr_custom_from fills custom with the operators of a list of (domain, name) pairs,
 * whose kernels factory makes; names keeps the texts. */
int gr_custom_from(gr_custom_kernels *kernels, PyObject *pairs, PyObject *factory, gr_custom *custom) {
  Py_ssize_t n = PyList_Size(pairs);
  if (n < 0) return -1;
  const char **texts = PyMem_Calloc((size_t)n * 2 + 1, sizeof(char *));
  kernels->list = PyList_New(0);
  kernels->factory = Py_NewRef(factory);
  if (texts == NULL || kernels->list == NULL) {
    PyMem_Free(texts);
    return -1;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    if (!PyArg_ParseTuple(PyList_GET_ITEM(pairs, i), "ss", &texts[i], &texts[n + i])) {
      PyMem_Free(texts);
      return -1;
    }
  }
  *custom = (gr_custom){.domains = texts, .names = texts + n, .n = (size_t)n, .make = make, .run = run, .arg = kernels};
  return 0;
}

void gr_custom_clear(gr_custom_kernels *kernels) {
  Py_CLEAR(kernels->list);
  Py_CLEAR(kernels->factory);
}
