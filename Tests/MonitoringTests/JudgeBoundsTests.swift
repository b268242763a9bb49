// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Rules of the judge over several values, with the last that it takes and the first that it refuses.
@Suite struct JudgeBoundsTests {
  private func problems(_ definition: CheckDefinition) -> [String] {
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  /// The gaps between the packets of a ping, one fewer than there are packets, end before the timeout.
  @Test(
    arguments: [
      (1, 10_000, 10, true), (2, 200, 201, true), (2, 200, 200, false), (5, 250, 1001, true),
      (5, 250, 1000, false), (100, 10, 991, true), (100, 10, 990, false),
    ])
  func gapsOfAPing(count: Int, gap: Int, timeout: Int, isTaken: Bool) {
    var definition = CheckDefinition.ping(host: "router")
    (definition.ping.count, definition.packetInterval) = (count, .milliseconds(gap))
    definition.timeout = .milliseconds(timeout)
    let (every, limit) = (Duration.milliseconds(gap).text, Duration.milliseconds(timeout).text)
    let refusal = "\(count) packets \(every) apart take \(limit), found a timeout of \(limit)"
    #expect(problems(definition) == (isTaken ? [] : ["packet_interval: \(refusal)"]))
  }

  /// The names and values of the headers have 4,096 bytes together, in which a letter may count twice.
  @Test(
    arguments: [
      (2082, []), (2083, ["headers: headers must be at most 4096 bytes together, found 4097"]),
    ] as [(Int, [String])])
  func bytesOfHeaders(length: Int, words: [String]) {
    var definition = CheckDefinition.http()
    definition.headers = [
      (name: "X-Long-Name", value: Redacted(String(repeating: "é", count: 1000))),
      (name: "X-B", value: Redacted(String(repeating: "v", count: length))),
    ]
    #expect(problems(definition) == words)
  }

  /// Expect is refused with each version of HTTP that does not have it.
  @Test(arguments: [nil] + HTTPVersionChoice.allCases.map(Optional.some) as [HTTPVersionChoice?])
  func expectAndTheVersion(version: HTTPVersionChoice?) {
    var definition = CheckDefinition.http()
    (definition.method, definition.http.body) = ("POST", Redacted("x"))
    definition.headers = [(name: "Expect", value: Redacted("100-continue"))]
    definition.httpVersion = version?.rawValue
    let isRefused = version == .v10 || version == .v2
    let words = ["headers/Expect: headers.Expect is obeyed over HTTP/1.1 only"]
    #expect(problems(definition) == (isRefused ? words : []))
  }
}
