// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc

/// Keeps this process's memory, in which secrets are, out of core files and from other processes of the same user.
///
/// The process is then not dumpable (prctl(2), PR_SET_DUMPABLE): the kernel writes no core of it, also where
/// `core_pattern` is a pipe, which no limit stops, and only root may trace it or read its memory in /proc. Its files in
/// /proc belong to root; what the process reads of itself there (proc(5): cmdline, fd, mountinfo) stays readable to it.
/// The limit on core files is taken away as well, for programs that it starts.
///
/// - Returns: false when the kernel refused.
@discardableResult
package func forbidDumps() -> Bool {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  let isLimited = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0
  return quartz_forbid_dumps() == 0 && isLimited
}
