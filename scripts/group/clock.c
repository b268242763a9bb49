// SPDX-License-Identifier: MIT
//
// A wall clock that is CLOCK_APART seconds ahead, for a program that is started with this in LD_PRELOAD. All other clocks
// and the timers stay as they are: libfaketime moves timers of the clock since boot, too, which no setting of the wall
// clock does.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long apart;

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("CLOCK_APART");
  if (text) apart = atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += apart;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME_COARSE, &exact) != 0) return -1;
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}
