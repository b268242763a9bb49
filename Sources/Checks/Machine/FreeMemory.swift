// SPDX-License-Identifier: MIT

import Basics
import CLinux

/// Gives memory that is free back to the system. Blocks for as long as that takes, some milliseconds for a hundred MiB.
///
/// glibc keeps what a large start-up took and freed; nothing that comes later would need as much again.
package func releaseFreeMemory() { malloc_trim(0) }

/// Settles how the allocator deals with the system. To be called before there are threads.
///
/// - All threads share two arenas. Results are made by one thread and freed by another: with an arena for each, every one of
///   them grows to what its thread has ever held.
/// - A piece of 256 KiB or more (a file of the history, a picture of all checks) is a mapping of its own, which is gone
///   once it is freed. By itself glibc takes such a piece from the heap as soon as one has been freed, and the hole it
///   leaves there stays (mallopt(3), M_MMAP_THRESHOLD): with 600 checks of 90 days that was 54 of 148 MiB.
/// - The heap's end goes back to the system above 1 MiB and not, as glibc has it for a threshold that is set, above 128 KiB,
///   which comes and goes with every burst.
package func settleAllocator() {
  mallopt(M_ARENA_MAX, 2)
  mallopt(M_MMAP_THRESHOLD, 256 << 10)
  mallopt(M_TRIM_THRESHOLD, 1 << 20)
}

/// Lets go of the mapped pages of the files of the program and its libraries: the pages that a start needs once (relocating,
/// reading the configuration, setting TLS up) are some 20 MiB. Pages that are used again are mapped again from the system's cache,
/// 64 KiB at a time, without a look at the disk while it is there.
package func releaseCodePages() { quartz_forget_code() }
