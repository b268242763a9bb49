// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Bounds of the settings that are not a check's.
enum SettingLimits {
  static let inFlight = 1...100_000
  static let perHost = 1...10_000
  static let remoteChecks = 1...100_000
  static let destinations = 1...100_000
  static let remoteInterval: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
  static let spoolSize = 16 * 1024 * 1024...1024 * 1024 * 1024 * 1024
  static let pullEvery: ClosedRange<Duration> = .seconds(60) ... .seconds(86_400)
  static let deliverEvery: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
  static let groupTTL: ClosedRange<Duration> = .seconds(5) ... .seconds(60)
  static let groupWeight = 1...1000
  static let batch = 1...1000
  static let slowFactor = 0...100
  static let announce: ClosedRange<Duration> = .zero ... .seconds(30 * 86_400)
  static let publicLinks = 10
  static let publicPages = 20
  static let footerBytes = 500
  static let tracesAtOnce = 1...64
  static let traceEvery: ClosedRange<Duration> = .seconds(10) ... .seconds(86_400)
  static let goodEvery: ClosedRange<Duration> = .seconds(600) ... .seconds(30 * 86_400)
  /// Bytes of UTF-8 of a name that travels with every result.
  static let nameBytes = 100
}
