// SPDX-License-Identifier: MIT
//
// The kernel's event descriptors, its clock and its file systems, and the allocator's upkeep, which Swift's Glibc module
// leaves out, and prctl, which is variadic. Only glibc's own declarations, and
// typed wrappers of what is variadic: there is nothing to own here. Each function returns -1 and sets errno on failure; a descriptor
// it returns belongs to the caller, who closes it once. Create with the CLOEXEC flag of its family, always.

#ifndef QUARTZ_CLINUX_SHIM_H
#define QUARTZ_CLINUX_SHIM_H

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/vfs.h>

// PR_SET_DUMPABLE of prctl(2).
static inline int quartz_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
// The name ps(1) and a debugger show of the calling thread, at most 15 bytes: PR_SET_NAME of prctl(2).
static inline int quartz_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL); }

#endif
