// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The exit codes of the product; those of `once` are a Nagios plugin's, so it can be used as one.
enum ExitStatus {
  static let up: Int32 = 0
  static let degraded: Int32 = 1
  static let down: Int32 = 2
  static let unknown: Int32 = 3
  /// EX_DATAERR of sysexits.h: what was given to read is not what it should be.
  static let badData: Int32 = 65
  /// EX_NOINPUT: a file that cannot be read.
  static let noInput: Int32 = 66
  /// EX_SOFTWARE of sysexits.h.
  static let internalError: Int32 = 70
  /// EX_CANTCREAT: an output that exists, or cannot be written.
  static let cannotCreate: Int32 = 73
  /// EX_TEMPFAIL: another daemon holds the state directory.
  static let locked: Int32 = 75
  /// Stopped by a signal, as a shell reports SIGINT.
  static let interrupted: Int32 = 130
  /// EX_CONFIG.
  static let configuration: Int32 = 78

  /// The worst state decides; nothing run is unknown. Down is worse than unknown: a known outage must be heard even
  /// when another check could not be run.
  static func of(_ states: [CheckState]) -> Int32 {
    if states.contains(.down) { return down }
    if states.contains(.unknown) || states.isEmpty { return unknown }
    return states.contains(.degraded) ? degraded : up
  }
}
