// SPDX-License-Identifier: MIT
#ifndef CSIMULATION_H
#define CSIMULATION_H

#include <stdint.h>

// One thread for all tasks, and chance that can be repeated. For a process that is a simulation and nothing else.

/// From now on a task that could run is put down here instead of on a thread of Swift's pool.
void simulation_take_tasks(void);

/// Runs what was put down, in the order in which it came, until there is nothing left, or after so many steps. Returns
/// how many there were.
uint64_t simulation_run_tasks(uint64_t limit);

/// Where `SystemRandomNumberGenerator` and `getentropy` begin again.
void simulation_seed(uint64_t seed);

/// How often either has been asked.
uint64_t simulation_fills(void);

#endif
