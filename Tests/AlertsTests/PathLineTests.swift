// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What a look at the way to a target adds to a message.
@Suite struct PathLineTests {
  private let check = UniqueID(high: 3, low: 4)
  private let words = "the route ends behind 10.0.3.1 (hop 3 of 9)"

  private func message(_ kind: AlertMessage.Kind = .opened) -> AlertMessage {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 2), incident: UniqueID(high: 5, low: 6), kind: kind, severity: .critical,
      title: "Shop is down", at: after(20), begin: after(0), agent: "london-1")
    message.members = [
      AlertMessage.Member(
        checkID: check, name: "Shop", target: "https://shop.example/", rule: "down", severity: .critical,
        since: after(0))
    ]
    message.memberCount = 1
    return message
  }

  @Test func theLineStandsBelowItsMember() throws {
    let known = message().with { [words] _, _ in words }
    let lines = MessageText(known).lines
    let place = try #require(lines.firstIndex { $0.contains("Shop (https://shop.example/)") })
    #expect(lines[place + 1] == "path: \(words)")
    #expect(!MessageText(message()).lines.contains { $0.hasPrefix("path") })
  }

  /// A check's trouble since then is asked for, and what is over has no way that matters.
  @Test func onlyWhatLastsIsAskedFor() {
    var asked: [Timestamp] = []
    _ = message().with {
      asked.append($1); return nil
    }
    #expect(asked == [after(0)])
    #expect(message(.recovered).with { _, _ in "x" }.members[0].path == nil)
    var over = message(.update)
    over.members[0].until = after(10)
    #expect(over.with { _, _ in "x" }.members[0].path == nil)
  }

  @Test func itIsInTheJSON() throws {
    let known = message().with { [words] _, _ in words }
    var json = JSONWriter()
    known.write(to: &json)
    #expect(try JSONValue.parse(json.bytes)["members"]?.array?.first?["path"]?.string == words)
  }
}
