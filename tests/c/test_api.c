/* test_api.c: a C program over api.h alone. It runs c = a + b, holds the output
 * over later runs and the session's end, releases it once, and is refused the
 * second time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

static int checks = 0;

#define CHECK(what)                                                      \
  do {                                                                   \
    checks++;                                                            \
    if (!(what)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #what); \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

static void succeed(gr_status status, gr_error *error) {
  if (status != GR_OK) {
    fprintf(stderr, "status %d: %s\n", (int)status, error == NULL ? "" : error->message);
    exit(1);
  }
}

static gr_output run(uint64_t session, uint64_t io, float *a, float *b) {
  int64_t dims[] = {3};
  gr_view inputs[2] = {{a, dims, 1, 1, NULL, NULL}, {b, dims, 1, 1, NULL, NULL}};
  gr_output output;
  memset(&output, 0xdb, sizeof output); /* need not be initialized */
  gr_call call = {.inputs = inputs, .n_inputs = 2, .outputs = &output, .n_outputs = 1, .io = io};
  gr_error *error = NULL;
  succeed(gr_session_run(session, &call, &error), error);
  return output;
}

/* A matrix that lies as columns gives what its rows give; the model doubles. */
static void as_columns(const char *model) {
  float first[2] = {1, 2}, second[2] = {3, 4}, rows[4] = {1, 3, 2, 4};
  const void *both[2] = {first, second};
  const int64_t square[2] = {2, 2};
  gr_view forms[2] = {{rows, square, 1, 2, NULL, NULL}, {NULL, square, 1, 2, NULL, both}};
  uint64_t session = 0;
  gr_error *error = NULL;
  succeed(gr_session_open(model, NULL, &session, &error), error);
  for (int i = 0; i < 2; i++) {
    gr_output output;
    gr_call call = {.inputs = &forms[i], .n_inputs = 1, .outputs = &output, .n_outputs = 1};
    succeed(gr_session_run(session, &call, &error), error);
    CHECK(output.rank == 2 && ((float *)output.data)[1] == 6 && ((float *)output.data)[2] == 4);
    CHECK(gr_lease_release(output.lease, output.generation, gr_shared()) == 0);
  }
  succeed(gr_session_close(session, &error), error);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  gr_error *error = NULL;
  uint64_t session = 0, io = 0;
  succeed(gr_arena_new(1, 0, -1, 0, &io, &error), error);
  gr_options options = {.io = io, .threads = 1};
  succeed(gr_session_open(argv[1], &options, &session, &error), error);

  int64_t inputs, outputs, nodes;
  succeed(gr_session_count(session, &inputs, &outputs, &nodes, &error), error);
  CHECK(inputs == 2 && outputs == 1 && nodes == 1);
  gr_info info;
  succeed(gr_session_input(session, 1, &info, &error), error);
  CHECK(strcmp(info.name, "b") == 0 && strcmp(info.type, "tensor(float)") == 0 && info.rank == 1 && info.dims[0] == 3);

  float a[] = {1, 2, 3}, b[] = {10, 20, 30};
  gr_output kept = run(session, io, a, b);
  CHECK(kept.rank == 1 && kept.dims[0] == 3 && kept.dtype == 1 && (uintptr_t)kept.data % 64 == 0);
  a[0] = 100;
  gr_output other = run(session, io, a, b);
  CHECK(((float *)kept.data)[0] == 11 && ((float *)other.data)[0] == 110 && kept.data != other.data);

  const char *names[] = {"c", "a"};
  uint64_t target = 0, again = 0;
  succeed(gr_session_target(session, names, 2, &target, &error), error);
  succeed(gr_session_target(session, names, 2, &again, &error), error);
  CHECK(target != 0 && again == target);
  succeed(gr_session_target(session, names, 1, &again, &error), error);
  CHECK(again != 0 && again != target);

  gr_arena_stats stats;
  succeed(gr_arena_get_stats(io, &stats, &error), error);
  CHECK(stats.leases == 2 && stats.live >= 24 && stats.copies[0] == 0);
  CHECK(gr_lease_release(other.lease, other.generation, gr_shared()) == 0);
  CHECK(gr_lease_release(other.lease, other.generation, gr_shared()) == -1);
  succeed(gr_arena_get_stats(io, &stats, &error), error);
  CHECK(stats.leases == 1 && stats.retained >= 12);

  gr_view wrong = {a, kept.dims, 7, 1, NULL, NULL};
  gr_view pair[2] = {wrong, wrong};
  gr_call call = {.inputs = pair, .n_inputs = 2, .outputs = &other, .n_outputs = 1};
  CHECK(gr_session_run(session, &call, &error) == GR_TYPE && strstr(error->message, "f32 expected") != NULL);
  gr_error_free(error);

  const void *columns[1] = {a};
  gr_view line = {NULL, kept.dims, 1, 1, NULL, columns};
  pair[0] = pair[1] = line;
  CHECK(gr_session_run(session, &call, &error) == GR_ARGUMENT && strstr(error->message, "lies as columns and has rank 1: 2 expected") != NULL);
  gr_error_free(error);

  succeed(gr_session_close(session, &error), error);
  CHECK(gr_session_close(session, &error) == GR_CLOSED);
  gr_error_free(error);
  succeed(gr_arena_close(io, &error), error);
  CHECK(((float *)kept.data)[2] == 33); /* session and arena are gone */
  CHECK(gr_lease_retain(kept.lease, kept.generation) == 0);
  CHECK(gr_lease_release(kept.lease, kept.generation, gr_shared()) == 0);
  CHECK(gr_lease_release(kept.lease, kept.generation, gr_shared()) == 0);
  CHECK(gr_lease_release(kept.lease, kept.generation, gr_shared()) == -1);

  as_columns(argv[2]);

  CHECK(gr_session_open("no such file", NULL, &session, &error) == GR_IO);
  gr_error_free(error);
  printf("%d passed, 0 failed\n", checks);
  return 0;
}
