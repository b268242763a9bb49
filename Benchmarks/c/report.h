// SPDX-License-Identifier: MIT
//
// What every loop here prints: one JSON line with its own CPU time from the first probe to the last.

#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

struct stopwatch {
  struct timespec wall;
  struct rusage usage;
};

static inline struct stopwatch start_watch(void) {
  struct stopwatch watch;
  clock_gettime(CLOCK_MONOTONIC, &watch.wall);
  getrusage(RUSAGE_SELF, &watch.usage);
  return watch;
}

static inline double seconds_between(struct timeval from, struct timeval to) {
  return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_usec - from.tv_usec) / 1e6;
}

static inline void report(struct stopwatch start, long probes, long ok) {
  struct stopwatch end = start_watch();
  double wall = (double)(end.wall.tv_sec - start.wall.tv_sec) +
                (double)(end.wall.tv_nsec - start.wall.tv_nsec) / 1e9;
  printf("{\"probes\": %ld, \"ok\": %ld, \"seconds\": %.6f, \"user\": %.6f, \"system\": %.6f}\n", probes, ok,
         wall, seconds_between(start.usage.ru_utime, end.usage.ru_utime),
         seconds_between(start.usage.ru_stime, end.usage.ru_stime));
}

#endif
