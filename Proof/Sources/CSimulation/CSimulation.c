// SPDX-License-Identifier: MIT
//
// What Swift's runtime and libc ask for by name is answered here instead: a program's own symbols come before those of
// the libraries it is linked with.
#include "CSimulation.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The runtime's own seam for who runs tasks (swift/Runtime/Concurrency.h).
typedef __attribute__((swiftcall)) void (*enqueue_original)(void *job);
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_original original);
extern __attribute__((swiftcall)) void swift_job_run(void *job, uintptr_t identity, uintptr_t implementation);

static void **ring;
static size_t capacity, first, count;

static __attribute__((swiftcall)) void put_down(void *job, enqueue_original original) {
  (void)original;
  if (count == capacity) {
    size_t wider = capacity ? capacity * 2 : 1024;
    void **grown = malloc(wider * sizeof(void *));
    if (!grown) abort();
    for (size_t index = 0; index < count; index++) grown[index] = ring[(first + index) % capacity];
    free(ring);
    ring = grown;
    capacity = wider;
    first = 0;
  }
  ring[(first + count) % capacity] = job;
  count++;
}

void simulation_take_tasks(void) {
  swift_task_enqueueGlobal_hook = put_down;
  // Whoever reads along sees each line when it is written.
  setvbuf(stdout, NULL, _IOLBF, 0);
}

uint64_t simulation_run_tasks(uint64_t limit) {
  uint64_t steps = 0;
  while (count > 0 && steps < limit) {
    void *job = ring[first];
    first = (first + 1) % capacity;
    count--;
    // No executor in particular.
    swift_job_run(job, 0, 0);
    steps++;
  }
  return steps;
}

// SplitMix64.
static uint64_t state = 0x9e3779b97f4a7c15;
static uint64_t fills;

static uint64_t draw(void) {
  state += 0x9e3779b97f4a7c15;
  uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

void simulation_seed(uint64_t seed) { state = seed; }

uint64_t simulation_fills(void) { return fills; }

static void fill(void *buffer, size_t size) {
  unsigned char *bytes = buffer;
  fills++;
  while (size > 0) {
    uint64_t word = draw();
    size_t part = size < sizeof word ? size : sizeof word;
    memcpy(bytes, &word, part);
    bytes += part;
    size -= part;
  }
}

// Of the Swift runtime.
void swift_stdlib_random(void *buffer, size_t size) { fill(buffer, size); }

// Of libc.
int getentropy(void *buffer, size_t size) {
  fill(buffer, size);
  return 0;
}
