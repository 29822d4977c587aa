/* run.c: doubles three numbers with a model whose one input is float [N]. */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

static void check(gr_status status, gr_error *error) {
  if (status == GR_OK) return;
  fprintf(stderr, "%s\n", error->message); /* node, input, what was seen, the rule */
  gr_error_free(error);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  gr_error *error = NULL;
  uint64_t session = 0;
  check(gr_session_open(argv[1], NULL, &session, &error), error);

  float x[] = {1, 2, 3};
  int64_t dims[] = {3};
  gr_view input = {0};
  input.data = x;
  input.dims = dims;
  input.dtype = 1; /* TensorProto.FLOAT */
  input.rank = 1;
  gr_output output = {0};
  gr_call call = {0};
  call.inputs = &input;
  call.n_inputs = 1;
  call.outputs = &output;
  call.n_outputs = 1;
  check(gr_session_run(session, &call, &error), error);
  check(gr_session_close(session, &error), error);

  const float *y = (const float *)output.data; /* lives on */
  printf("[%.1f, %.1f, %.1f]\n", y[0], y[1], y[2]);
  return gr_lease_release(output.lease, output.generation, gr_shared()); /* now its memory goes back */
}
