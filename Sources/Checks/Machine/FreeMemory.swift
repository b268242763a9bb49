// SPDX-License-Identifier: MIT

import CLinux

/// Gives memory that is free back to the system. Blocks for as long as that takes, some milliseconds for a hundred MiB.
///
/// glibc keeps what a large start-up took and freed; nothing that comes later would need as much again.
package func releaseFreeMemory() { malloc_trim(0) }
