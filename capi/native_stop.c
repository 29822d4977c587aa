//go:build pyext

/* native_stop.c: what cancels a run from another thread. */
#include "native.h"

typedef struct {
  PyObject_HEAD
  uint64_t handle;
} Stop;

PyTypeObject *gr_stop_type = NULL;

uint64_t gr_stop_handle(PyObject *stop) {
  if (stop == NULL || stop == Py_None) return 0;
  if (Py_TYPE(stop) != gr_stop_type) {
    gr_raise_text(GR_TYPE, "a CancelToken expected, %s given", Py_TYPE(stop)->tp_name);
    return (uint64_t)-1;
  }
  return ((Stop *)stop)->handle;
}

static PyObject *stop_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  if (!PyArg_ParseTuple(args, "") || (kwargs != NULL && PyDict_Size(kwargs) > 0)) return NULL;
  if (gr_check_fork() < 0) return NULL;
  Stop *self = (Stop *)type->tp_alloc(type, 0);
  gr_error *error = NULL;
  if (self != NULL && gr_stop_new(&self->handle, &error) != GR_OK) {
    Py_DECREF(self);
    return gr_raise(error);
  }
  return (PyObject *)self;
}

static PyObject *stop_cancel(Stop *self, PyObject *unused) {
  (void)unused;
  gr_error *error = NULL;
  if (gr_check_fork() < 0) return NULL;
  if (gr_stop_cancel(self->handle, &error) != GR_OK) return gr_raise(error);
  Py_RETURN_NONE;
}

static void stop_dealloc(Stop *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->handle != 0 && !gr_forked) gr_stop_close(self->handle, NULL);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyMethodDef stop_methods[] = {
    {"cancel", (PyCFunction)stop_cancel, METH_NOARGS, "Ends the runs that use the token."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot stop_slots[] = {
    {Py_tp_new, stop_new}, {Py_tp_dealloc, stop_dealloc}, {Py_tp_methods, stop_methods}, {0, NULL},
};

PyType_Spec gr_stop_spec = {"goruntime._native.Stop", sizeof(Stop), 0, Py_TPFLAGS_DEFAULT, stop_slots};
