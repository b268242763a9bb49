// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Curl
import Glibc
import Monitoring

/// The kernel's facts of this machine that show whether probes can be believed here.
package enum MachineFacts {
  /// The system clock (adjtimex(2)).
  package struct Clock: Hashable, Sendable {
    /// Whether the clock is synchronised, as far as the kernel knows.
    package var isSynchronised: Bool
    /// The error at most, by the kernel's reckoning.
    package var maximumError: Duration
  }

  /// `nil` when the kernel does not tell.
  package static func clock() -> Clock? {
    var state = timex()
    let code = adjtimex(&state)
    guard code >= 0 else { return nil }
    return Clock(
      isSynchronised: code != TIME_ERROR && state.status & STA_UNSYNC == 0,
      maximumError: .microseconds(Int64(state.maxerror)))
  }

  /// The file system below a path (statfs(2)).
  package struct FileSystem: Hashable, Sendable {
    /// The kernel's magic number of its kind.
    package var kind: UInt32
    /// Bytes that this user may still write.
    package var free: Int
  }

  package static func fileSystem(of path: String) -> FileSystem? {
    var facts = statfs()
    guard statfs(path, &facts) == 0 else { return nil }
    let free = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(clamping: facts.f_bsize))
    return FileSystem(
      kind: UInt32(truncatingIfNeeded: facts.f_type),
      free: Int(clamping: free.overflow ? .max : free.partialValue))
  }
}
