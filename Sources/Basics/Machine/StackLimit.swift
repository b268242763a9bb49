// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// The stacks of this process. The kernel takes the first thread's from the limit that the process was started with
/// (RLIMIT_STACK), and glibc those of all other threads, unless they are told: a service that starts with `ulimit -s 64`
/// ends with a signal in the middle of its first command.
package enum StackLimit {
  /// Bytes of the stack of each thread but the first, whichever library starts it.
  package static let thread = 8 << 20
  /// Bytes that the first thread needs for every command.
  package static let least = 1 << 20

  /// Gives every thread from here on its stack, and raises the limit of the first as far as this user may.
  ///
  /// Before anything else: it needs next to no stack itself.
  ///
  /// - Returns: false when the limit stays below what is needed.
  package static func settle() -> Bool {
    var attributes = pthread_attr_t()
    if pthread_attr_init(&attributes) == 0 {
      if pthread_attr_setstacksize(&attributes, thread) == 0 { _ = quartz_set_thread_defaults(&attributes) }
      pthread_attr_destroy(&attributes)
    }
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { return true }
    guard limit.rlim_cur < rlim_t(thread) else { return true }
    limit.rlim_cur = limit.rlim_max < rlim_t(thread) ? limit.rlim_max : rlim_t(thread)
    setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
    return getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) != 0
      || limit.rlim_cur >= rlim_t(least)
  }

  /// Bytes that the first thread may have now; `nil` when there is no limit.
  package static var current: Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { return nil }
    return Int(exactly: limit.rlim_cur)
  }
}
