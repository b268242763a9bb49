// SPDX-License-Identifier: MIT

import Basics

/// The bounds of what a check may ask for. The judge, the JSON Schema and the documentation all use these.
package enum CheckLimits {
  package static let interval: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)
  /// Also at most the interval. A check of the administrator may be as impatient as a local network allows.
  package static let timeout: ClosedRange<Duration> = .milliseconds(10) ... .seconds(60)
  package static let retries = 0...10
  /// Of `retry_delay` and `confirm_delay`.
  package static let delay: ClosedRange<Duration> = .zero ... .seconds(3600)
  package static let failureThreshold = 1...100
  package static let port = 1...65_535
  package static let maxRedirects = 0...20
  /// Bytes; one body never takes more than a quarter of the agent's body memory.
  package static let maxBody = 1...16 * 1024 * 1024
  package static let packets = 1...100
  package static let packetInterval: ClosedRange<Duration> = .milliseconds(10) ... .seconds(10)
  /// Bytes of payload that fit an Ethernet frame: 1,500 less the IPv4 and ICMP headers.
  package static let packetSize = 0...1472
  package static let loss = 0.0...100.0
  package static let certificate: ClosedRange<Duration> = .zero ... .seconds(3650 * 86_400)
  package static let responseTime: ClosedRange<Duration> = .milliseconds(1) ... .seconds(60)

  package static let period: ClosedRange<Duration> = .seconds(10) ... .seconds(366 * 86_400)
  package static let grace: ClosedRange<Duration> = .zero ... .seconds(30 * 86_400)
  package static let maxRun: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)
  /// Bytes; sixteen random ones of its letters cannot be guessed.
  package static let heartbeatToken = 16...128

  /// Bytes of UTF-8.
  package static let nameBytes = 200
  package static let tags = 32
  package static let tagBytes = 64
  package static let headers = 20
  /// Names and values together.
  package static let headerBytes = 4096
  package static let bodyBytes = 64 * 1024
  package static let answers = 64
  /// Of `expect.header` and of `expect.json`, each.
  package static let conditions = 32
  /// Of a pattern, a path or an operand.
  package static let conditionBytes = 1024
  package static let patternsPerList = 16
  package static let dialogSteps = 32
  package static let dialogStepBytes = 4096
  package static let scopes = 16

  /// Bytes of a body literal; a stranger's is kept to what a page's keyword needs.
  package static func keywordBytes(_ origin: CheckOrigin) -> Int { origin == .api ? 256 : 4096 }
}

extension CheckProblem {
  /// The problem of a value outside its bounds, nil when it is inside. One wording for every key.
  package static func bounds<Value: Comparable>(
    _ path: [String], _ value: Value, in allowed: ClosedRange<Value>, text: (Value) -> String
  ) -> CheckProblem? {
    let key = keyText(path)
    if value < allowed.lowerBound {
      return CheckProblem(path, "\(key) must be at least \(text(allowed.lowerBound)), found \(text(value))")
    }
    if value > allowed.upperBound {
      return CheckProblem(path, "\(key) must be at most \(text(allowed.upperBound)), found \(text(value))")
    }
    return nil
  }

  /// The path as people write it: `expect.status[0]`.
  package static func keyText(_ path: [String]) -> String {
    var text = ""
    for part in path {
      if Int(part) != nil {
        text += "[\(part)]"
      } else {
        text += text.isEmpty ? part : ".\(part)"
      }
    }
    return text
  }
}
