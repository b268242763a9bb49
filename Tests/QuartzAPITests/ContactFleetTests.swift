// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAPI

/// What the receiver says of agents that are not well.
@Suite struct ContactFleetTests {
  private func fleet(_ json: String) throws -> [FleetTrouble] {
    ContactWords(try JSONValue.parse(Array(json.utf8))).fleet
  }

  @Test func whatIsUnderstood() throws {
    let all = try fleet(
      #"{"fleet":[{"name":"a1","is_self":true,"troubles":["clock"],"words":"The clock is 90 s behind"},"#
        + #"{"name":"a\n2","troubles":["late","silent",7],"words":"Agent silent","more":1},{"name":"","words":"x"},"#
        + #"{"name":"a3","words":""},{"name":"a4"},{"words":"x"},7,null,{"name":7,"words":[]}]}"#)
    #expect(
      all.map(\.notice) == [
        .warning(.fleet, "this agent is degraded in the Quartz apps: The clock is 90 s behind"),
        .warning(
          .fleet, "agent \(String("a\n2").printable(maxBytes: 100)) is down in the Quartz apps: Agent silent",
          hint: "look at it there: quartz-agent status"),
      ])
    #expect(all.map(\.isSelf) == [true, false])
    for odd in ["{}", #"{"fleet":null}"#, #"{"fleet":{"name":"a","words":"b"}}"#, #"{"fleet":"x"}"#] {
      #expect(try fleet(odd) == [], "\(odd)")
    }
  }

  @Test func itIsBounded() throws {
    let long = String(repeating: "w", count: 5000)
    let items = (0..<30).map { #"{"name":"\#($0)\#(long)","words":"\#(long)"}"# }
    let found = try fleet(#"{"fleet":[\#(items.joined(separator: ","))]}"#)
    #expect(found.count == 20)
    #expect(found.allSatisfy { $0.name.utf8.count <= 103 && $0.words.utf8.count <= 503 })
  }
}
