/* shared.c: the words that a release of a lease needs. They are the library's own, so
 * that they are there before Go is ready, and as long as the process. */
#include "lease.h"

gr_lease_shared gr_words __attribute__((aligned(64)));

gr_lease_shared *gr_shared(void) { return &gr_words; }
