// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging

/// Standard error as systemd's journal, which stamps each line with the time itself, and reads its priority from the beginning
/// (sd-daemon(3)).
enum Journal {
  /// Whether standard error is the stream that systemd opened for it (systemd.exec(5), `$JOURNAL_STREAM`): a service may have
  /// sent its own elsewhere since.
  static func isStandardError(_ environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
    guard let parts = environment["JOURNAL_STREAM"]?.split(separator: ":"), parts.count == 2,
      let device = UInt64(parts[0]), let inode = UInt64(parts[1])
    else { return false }
    var facts = stat()
    return fstat(descriptor, &facts) == 0 && UInt64(facts.st_dev) == device && UInt64(facts.st_ino) == inode
  }

  /// `<4>`, by syslog(3).
  static func priority(_ level: Logger.Level) -> String {
    switch level {
    case .trace, .debug: "<7>"
    case .info: "<6>"
    case .notice: "<5>"
    case .warning: "<4>"
    case .error: "<3>"
    case .critical: "<2>"
    }
  }
}
