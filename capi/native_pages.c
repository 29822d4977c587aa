//go:build pyext

/* native_pages.c: what only loading needed goes back to the kernel.
 *
 * The dynamic loader and the initialisation of Go packages touch nearly all of the
 * library once: relocation tables, tables of functions, the declarations of all
 * operators. Those pages are clean copies of the file; dropped, the few that runs
 * need come back from the page cache, and the rest stops counting as resident. */
#include "native.h"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* drop advises the kernel about the read-only segments of the object that holds
 * the address at data. Segments that can be written are left: what the loader
 * relocated in them is in no file. */
static int drop(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  uintptr_t here = (uintptr_t)data, page = (uintptr_t)sysconf(_SC_PAGESIZE);
  int ours = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    ours |= p->p_type == PT_LOAD && here >= start && here < start + p->p_memsz;
  }
  for (int i = 0; ours && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || (p->p_flags & PF_W) != 0) continue;
    uintptr_t start = (info->dlpi_addr + p->p_vaddr) & ~(page - 1), end = info->dlpi_addr + p->p_vaddr + p->p_filesz;
    madvise((void *)start, (end - start) & ~(page - 1), MADV_DONTNEED);
  }
  return ours;
}

void gr_drop_load_pages(void) {
  static int dropped = 0; /* under the interpreter's lock, or twice for nothing */
  if (dropped) return;
  dropped = 1;
  dl_iterate_phdr(drop, (void *)(uintptr_t)&gr_drop_load_pages);
}
