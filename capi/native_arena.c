//go:build pyext

/* native_arena.c: arenas as Python objects. */
#include "native.h"

typedef struct {
  PyObject_HEAD
  uint64_t handle;
  int borrowed; /* a session's own arena: not closed here */
} Arena;

PyTypeObject *gr_arena_type = NULL;

uint64_t gr_arena_handle(PyObject *arena) {
  if (arena == NULL || arena == Py_None) return 0;
  if (Py_TYPE(arena) != gr_arena_type) {
    gr_raise_text(GR_TYPE, "an arena expected, %s given", Py_TYPE(arena)->tp_name);
    return (uint64_t)-1;
  }
  return ((Arena *)arena)->handle;
}

static PyObject *arena_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"io", "capacity", "retention_cap", "limit", "handle", NULL};
  int io = 0;
  long long capacity = 0, cap = -1, limit = 0;
  unsigned long long handle = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pLLLK", names, &io, &capacity, &cap, &limit, &handle)) return NULL;
  if (gr_check_fork() < 0) return NULL;
  Arena *self = (Arena *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  gr_error *error = NULL;
  self->borrowed = handle != 0;
  self->handle = handle;
  if (handle == 0 && gr_arena_new(io, capacity, cap, limit, &self->handle, &error) != GR_OK) {
    Py_DECREF(self);
    return gr_raise(error);
  }
  return (PyObject *)self;
}

/* close gives the arena back unless it is a session's; leased blocks live on. */
static PyObject *arena_close(Arena *self, PyObject *unused) {
  (void)unused;
  uint64_t handle = self->handle;
  self->handle = 0;
  if (handle != 0 && !self->borrowed && !gr_forked) {
    Py_BEGIN_ALLOW_THREADS
    gr_arena_close(handle, NULL);
    Py_END_ALLOW_THREADS
  }
  Py_RETURN_NONE;
}

static void arena_dealloc(Arena *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->handle != 0 && !self->borrowed && !gr_forked) gr_arena_close(self->handle, NULL);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *arena_owns(Arena *self, PyObject *arg) {
  if (!PyArray_Check(arg)) return gr_raise_text(GR_TYPE, "a numpy.ndarray expected, %s given", Py_TYPE(arg)->tp_name);
  int32_t owns = 0;
  gr_error *error = NULL;
  if (gr_check_fork() < 0) return NULL;
  if (gr_arena_owns(self->handle, PyArray_DATA((PyArrayObject *)arg), &owns, &error) != GR_OK) return gr_raise(error);
  return PyBool_FromLong(owns);
}

static PyMethodDef arena_methods[] = {
    {"close", (PyCFunction)arena_close, METH_NOARGS, "Gives free memory back; leased blocks live on."},
    {"owns", (PyCFunction)arena_owns, METH_O, "Whether an array's memory is the arena's."},
    {NULL, NULL, 0, NULL},
};

static PyObject *arena_get_handle(Arena *self, void *unused) {
  (void)unused;
  return PyLong_FromLongLong((long long)self->handle);
}

static PyGetSetDef arena_getset[] = {
    {"handle", (getter)arena_get_handle, NULL, "what the control plane names the arena by", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot arena_slots[] = {
    {Py_tp_new, arena_new},
    {Py_tp_dealloc, arena_dealloc},
    {Py_tp_methods, arena_methods},
    {Py_tp_getset, arena_getset},
    {Py_tp_doc, "An arena of the core; see goruntime.ExecutionArena and goruntime.IOArena."},
    {0, NULL},
};

PyType_Spec gr_arena_spec = {"goruntime._native.Arena", sizeof(Arena), 0, Py_TPFLAGS_DEFAULT, arena_slots};
