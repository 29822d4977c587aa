//go:build pyext

/* native_module.c: the module goruntime._native. */
#define GR_NATIVE_MODULE
#include "native_arrow.h"

static PyObject *build_info(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  if (gr_check_fork() < 0) return NULL;
  char *text = gr_build_info();
  PyObject *info = PyUnicode_FromString(text);
  gr_text_free(text);
  return info;
}

static PyObject *check_fork(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  if (gr_check_fork() < 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject *model_lacks(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *path = Py_None;
  Py_buffer data = {0};
  if (!PyArg_ParseTuple(args, "O|z*", &path, &data)) return NULL;
  PyObject *list = NULL;
  const char *file = path == Py_None ? NULL : PyBytes_AsString(path);
  if ((path == Py_None || file != NULL) && gr_check_fork() == 0) {
    char *text = NULL;
    gr_error *error = NULL;
    gr_status status;
    Py_BEGIN_ALLOW_THREADS
    status = gr_model_lacks(file, data.buf, (size_t)data.len, &text, &error);
    Py_END_ALLOW_THREADS
    list = status == GR_OK ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : gr_raise(error);
    gr_text_free(text);
  }
  PyBuffer_Release(&data);
  return list;
}

static PyMethodDef functions[] = {
    {"arrow_batch", gr_arrow_batch, METH_VARARGS, "A record batch of (schema capsule, array capsule, a schema that is known or None)."},
    {"arrow_reader", gr_arrow_reader, METH_VARARGS, "An iterator of record batches of (stream capsule, a schema that is known or None)."},
    {"arrow_matrix", gr_arrow_matrix, METH_O, "A list of arrays as the columns of one matrix."},
    {"arrow_columns", gr_arrow_columns, METH_VARARGS, "(names, results, rows): the results as columns by name, [N, 1] as [N]; None where one is no column."},
    {"arrow_cast", gr_arrow_cast, METH_VARARGS, "(array, dtype, arena, column): a counted copy of another element type."},
    {"arrow_export", gr_arrow_export, METH_VARARGS, "(names, arrays) as (schema capsule, array capsule)."},
    {"arrow_stream", gr_arrow_stream, METH_VARARGS, "A stream capsule of (function for the schema capsule, iterator of array capsules)."},
    {"model_lacks", model_lacks, METH_VARARGS, "What the model (path or None, bytes) needs and is not run here, as JSON."},
    {"dlpack_export", gr_dlpack_export, METH_VARARGS, "(array, versioned): a DLPack capsule over its memory."},
    {"dlpack_import", gr_dlpack_import, METH_O, "An array over the memory of an object with __dlpack__."},
    {"shortcut", gr_shortcut, METH_VARARGS, "(class, doc): takes the place of the class's method run."},
    {"set_errors", gr_set_errors, METH_O, "Takes the module that makes exceptions."},
    {"check_fork", check_fork, METH_NOARGS, "Raises in a process forked after the core was loaded."},
    {"build_info", build_info, METH_NOARGS, "The active variants as JSON."},
    {NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type) {
  *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type == NULL ? -1 : PyModule_AddType(module, *type);
}

static int exec_module(PyObject *module) {
  import_array1(-1);
  static int loaded = 0;
  if (loaded) {
    PyErr_SetString(PyExc_ImportError, "goruntime cannot be loaded twice in one process: sub-interpreters are not supported");
    return -1;
  }
  loaded = 1;
  if (gr_install_fork_guard() != 0) {
    PyErr_SetString(PyExc_ImportError, "goruntime could not install its fork guard");
    return -1;
  }
  if (PyType_Ready(&gr_lease_type) < 0) return -1;
  if (add_type(module, &gr_session_spec, &gr_session_type) < 0 || add_type(module, &gr_arena_spec, &gr_arena_type) < 0 ||
      add_type(module, &gr_stop_spec, &gr_stop_type) < 0 || add_type(module, &gr_schema_spec, &gr_schema_type) < 0 ||
      add_type(module, &gr_batch_spec, &gr_batch_type) < 0 || add_type(module, &gr_reader_spec, &gr_reader_type) < 0 ||
      add_type(module, &gr_texts_spec, &gr_texts_type) < 0 || add_type(module, &gr_columns_spec, &gr_columns_type) < 0)
    return -1;
  return gr_session_init_names();
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", "The core of goruntime.", 0, functions, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }
