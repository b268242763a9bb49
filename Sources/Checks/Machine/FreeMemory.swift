// SPDX-License-Identifier: MIT

import Basics
import CLinux

/// Gives memory that is free back to the system. Blocks for as long as that takes, some milliseconds for a hundred MiB.
///
/// glibc keeps what a large start-up took and freed; nothing that comes later would need as much again.
package func releaseFreeMemory() { malloc_trim(0) }

/// Lets all threads share two of the allocator's arenas. Results are made by one thread and freed by another: with an
/// arena for each, every one of them grows to what its thread has ever held. To be called before there are threads.
package func shareAllocatorArenas() { mallopt(M_ARENA_MAX, 2) }

/// Lets go of the mapped pages of the program's own file: what a start needs once (relocating, reading the
/// configuration, setting TLS up) is some 15 MiB. What is used again is mapped again from the system's cache, 64 KiB at a
/// time, without a look at the disk while it is there.
package func releaseCodePages() { quartz_forget_code() }
