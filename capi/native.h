/* native.h: what the files of the Python extension share. */
#ifndef GR_NATIVE_H
#define GR_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL gr_numpy_api
#ifndef GR_NATIVE_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#undef GR_NO_PROTOTYPES
#include "api.h"

/* The indices of goruntime/arena.CopyReason. */
enum {
  COPY_ALIAS, COPY_BITS, COPY_BYTE_ORDER, COPY_COALESCE, COPY_CONVERSION, COPY_DECOMPRESS, COPY_INTERLEAVE, COPY_NON_CONTIGUOUS, COPY_NULLS, COPY_OVERLAP,
  COPY_RECEIVE, COPY_SEND, COPY_UNALIGNED
};

enum { DTYPE_F32 = 1, DTYPE_I64 = 7, DTYPE_STRING = 8, DTYPE_BOOL = 9, DTYPE_F64 = 11, NUM_DTYPES = 29 };

/* native_error.c */
extern volatile int gr_forked; /* set in a forked child, where Go must not be entered */
int gr_install_fork_guard(void);
int gr_check_fork(void);             /* 0, or -1 with an exception */
PyObject *gr_raise(gr_error *error); /* takes the error; always NULL */
PyObject *gr_raise_text(int code, const char *format, ...);
PyObject *gr_set_errors(PyObject *module, PyObject *errors);
extern PyObject *gr_errors_module;

/* native_array.c */
extern PyTypeObject gr_lease_type; /* made ready before the first array */
int gr_dtype_of(PyArrayObject *array);            /* TensorProto.DataType, -1 for none */
PyArray_Descr *gr_descr_of(int dtype);            /* a new reference, or NULL with an exception */
PyObject *gr_array_of(gr_output *output);         /* takes the lease; NULL with an exception */
void gr_output_drop(gr_output *output);           /* releases what an output holds */
gr_lease *gr_lease_under(PyObject *array, uint32_t *generation); /* that of the memory it is a view of, NULL for none */
PyObject *gr_strings_of(const gr_output *output); /* a new object array of str */
PyObject *gr_block(uint64_t io, npy_intp bytes, int reason); /* a new u8 array over a leased block */
PyObject *gr_copied(PyArrayObject *array, uint64_t io, int reason);

/* native_input.c */
PyObject *gr_to_array(PyObject *value, int dtype, uint64_t io, PyObject *input);
PyObject *gr_to_strings(PyObject *value, gr_string **strings, PyObject *input);

/* native_value.c */
PyObject *gr_other_from(PyObject *value, const char *type, uint64_t io, gr_view *view);
PyObject *gr_other_of(gr_output *output); /* takes the output */
PyObject *gr_other_copied(const gr_value *value, PyObject *(*copy)(const gr_view *tensor));
PyObject *gr_other_type(PyObject *value); /* the type that a list, None or dict can have, as text */
void gr_value_drop(gr_value *value);      /* releases the leases in it */

/* native_custom.c */
typedef struct {
  PyObject *factory; /* called with (node, facts), returns a kernel */
  PyObject *list;    /* the kernels, by number */
} gr_custom_kernels;
/* custom.domains is to be freed with PyMem_Free after the session is open. */
int gr_custom_from(gr_custom_kernels *kernels, PyObject *pairs, PyObject *factory, gr_custom *custom);
void gr_custom_clear(gr_custom_kernels *kernels);

/* native_packed.c */
int gr_packed(int dtype);
PyObject *gr_unpacked(gr_output *output); /* takes the lease */
int gr_pack_view(PyObject *array, PyObject *keep, uint64_t io, int dtype, void **data);

/* shared.c */
extern gr_lease_shared gr_words;

/* native_dlpack.c */
PyObject *gr_dlpack_export(PyObject *module, PyObject *args);   /* (array, versioned) -> capsule */
PyObject *gr_dlpack_import(PyObject *module, PyObject *source); /* an array over the memory of an object with __dlpack__, or of its capsule */

/* native_pages.c */
void gr_drop_load_pages(void); /* at the first call */

/* native_session.c, native_run.c, native_arena.c, native_stop.c */
extern PyTypeObject *gr_session_type, *gr_arena_type, *gr_stop_type;
extern PyType_Spec gr_session_spec, gr_arena_spec, gr_stop_spec;
int gr_session_init_names(void);
PyObject *gr_session_run_method(PyObject *session, PyObject *const *args, Py_ssize_t n, PyObject *names);
PyObject *gr_shortcut(PyObject *module, PyObject *args);
uint64_t gr_arena_handle(PyObject *arena); /* 0 for None; (uint64_t)-1 with an exception */
uint64_t gr_stop_handle(PyObject *stop);

#endif
