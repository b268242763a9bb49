// SPDX-License-Identifier: MIT
//
// The kernel's event descriptors, its clock and its file systems, and the allocator's upkeep, which Swift's Glibc module
// leaves out. Only glibc's own declarations: there is nothing to own here and nothing is wrapped. Each function returns -1 and sets errno on failure; a descriptor
// it returns belongs to the caller, who closes it once. Create with the CLOEXEC flag of its family, always.

#ifndef QUARTZ_CLINUX_SHIM_H
#define QUARTZ_CLINUX_SHIM_H

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/vfs.h>

#endif
