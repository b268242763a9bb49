/* SPDX-License-Identifier: MIT */

/*
 * A guard for the thread that drives libcurl: it ends the connection that keeps the thread inside one call for good.
 *
 * libcurl and OpenSSL read on for as long as something is there to read and nothing of it is content: HTTP/2 frames
 * without data, the body of a proxy's refusal. A fast sender keeps the call from ever returning. A timer on
 * the thread's own processor clock (timer_create(2)) sends it a signal every few milliseconds of work, never while it
 * sleeps or waits for a core. Its handler sees by `progress` whether the thread has come back since; if not, it looks
 * which connection was read from meanwhile, and ends that one.
 *
 * Ownership
 *   - The guard belongs to one thread, which makes, arms, uses, disarms and frees it. The handler runs on that thread
 *     alone, between two of its instructions: no lock is needed, and no descriptor can be closed under it.
 *   - The handler only makes calls that a signal handler may make (signal-safety(7)), and getsockopt and ioctl, which
 *     are bare system calls.
 *
 * Errors
 *   - quartz_spin_arm returns 0, or an errno: EAGAIN when the user has no room for another queued signal.
 */
#ifndef QUARTZ_CSPIN_SPIN_H
#define QUARTZ_CSPIN_SPIN_H

#include <stdint.h>

typedef struct quartz_spin_guard quartz_spin_guard;

/* NULL when memory is out; every function takes NULL and does nothing then. */
quartz_spin_guard *quartz_spin_new(void);
/* Disarms and frees it, on its thread. */
void quartz_spin_free(quartz_spin_guard *guard);

/* From now on it guards the calling thread, and looks every so many nanoseconds of the thread's work. 0, or an errno. */
int quartz_spin_arm(quartz_spin_guard *guard, long nanoseconds);
/* A signal that is still on its way comes before this returns. */
void quartz_spin_disarm(quartz_spin_guard *guard);
/* The thread has come back. */
void quartz_spin_progress(quartz_spin_guard *guard);

/* The descriptor is the owner's, which is not zero. 0 when memory is out: then the connection is not looked at. */
int quartz_spin_watch(quartz_spin_guard *guard, int descriptor, uint64_t owner);
/* Before the descriptor is closed. */
void quartz_spin_forget(quartz_spin_guard *guard, int descriptor);
/* One of those whose connection was ended since the last call; 0: no more. */
uint64_t quartz_spin_take(quartz_spin_guard *guard);

/* Bytes that were taken out of the owner's TCP socket since it was connected; -1 when the descriptor is not the owner's
 * or no TCP socket. */
int64_t quartz_spin_consumed(const quartz_spin_guard *guard, int descriptor, uint64_t owner);

#endif
