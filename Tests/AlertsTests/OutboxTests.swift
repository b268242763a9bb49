// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// What waits to be told.
@Suite struct OutboxTests {
  private func message(_ number: UInt64, kind: AlertMessage.Kind = .opened) -> AlertMessage {
    AlertMessage(
      id: UniqueID(high: 1, low: number), incident: UniqueID(high: 2, low: number), kind: kind,
      severity: .high,
      title: "Shop is down", at: after(0), begin: after(0), agent: "test")
  }

  private func saved(_ outbox: inout Outbox) throws -> JSONValue {
    var json = JSONWriter()
    outbox.encode(to: &json)
    return try JSONValue.parse(json.bytes)
  }

  /// One after the other, by channel; what is not taken is tried again after 5, 10, 20 s and so on up to 10 minutes, and up
  /// to a quarter later, so that not all come back in the same moment.
  @Test func orderAndBackoff() throws {
    var outbox = Outbox(channels: ["a", "b"], now: after(0))
    for number in 1...2 { outbox.add(message(UInt64(number)), to: "a", now: after(0)) }
    outbox.add(message(3), to: "b", now: after(0))
    var due = outbox.due(after(0))
    #expect(due.map(\.message.id.low) == [1, 3])
    var waits: [Int64] = []
    var now: Int64 = 0
    for _ in 0..<10 {
      let entry = try #require(due.first { $0.channel == "a" })
      #expect(entry.message.id.low == 1, "the second waits behind the first")
      outbox.note(entry, .failed("no"), now: after(now))
      let start = now
      repeat {
        now += 1
        due = outbox.due(after(now))
      } while due.isEmpty
      waits.append(now - start)
    }
    for (wait, least) in zip(waits, [5, 10, 20, 40, 80, 160, 320, 600, 600, 600]) {
      #expect((Int64(least)...Int64(least * 5 / 4 + 1)).contains(wait), "\(waits)")
    }
    #expect(Set(waits.suffix(3)).count > 1, "\(waits)")
    #expect(outbox.figures(of: "a").trouble == "no" && outbox.figures(of: "a").waiting == 2)
  }

  /// As long as the receiver says, an hour at most.
  @Test func retryAfter() throws {
    var outbox = Outbox(channels: ["a"], now: after(0))
    outbox.add(message(1), to: "a", now: after(0))
    outbox.note(
      try #require(outbox.due(after(0)).first), .failed("429", retryAfter: .seconds(90)), now: after(0))
    #expect(outbox.due(after(89)).isEmpty)
    outbox.note(
      try #require(outbox.due(after(113)).first), .failed("429", retryAfter: .seconds(86_400)),
      now: after(113))
    #expect(outbox.due(after(113 + 3599)).isEmpty && outbox.due(after(113 + 4500)).count == 1)
  }

  private func message(_ number: UInt64, of incident: UInt64, _ kind: AlertMessage.Kind) -> AlertMessage {
    var message = message(number, kind: kind)
    message.incident = UniqueID(high: 2, low: incident)
    return message
  }

  /// What a receiver gets that is back after an hour: that it began, and how it is now.
  @Test func whatIsNoNewsMakesRoom() throws {
    var outbox = Outbox(channels: ["a"], now: after(0))
    outbox.add(message(1, of: 7, .opened), to: "a", now: after(0))
    outbox.add(message(50, of: 8, .update), to: "a", now: after(0))
    for number in 2...21 { outbox.add(message(UInt64(number), of: 7, .update), to: "a", now: after(0)) }
    #expect(try waiting(&outbox) == [1, 50, 21])
    outbox.add(message(22, of: 7, .recovered), to: "a", now: after(0))
    #expect(try waiting(&outbox) == [1, 50, 22])
    #expect(outbox.figures(of: "a").dropped == 0)
  }

  /// The ids of what waits, in order.
  private func waiting(_ outbox: inout Outbox) throws -> [UInt64] {
    try saved(&outbox).array?.compactMap { $0["message"]?["id"]?.string.flatMap { UniqueID($0) }?.low } ?? []
  }

  /// What is on its way is sent once, makes no room, and is not merged away: it may have arrived.
  @Test func whatIsBeingSentStays() throws {
    var outbox = Outbox(channels: ["a"], now: after(0))
    outbox.add(message(1, of: 1, .update), to: "a", now: after(0))
    let entry = try #require(outbox.due(after(0)).first)
    #expect(outbox.due(after(3600)).isEmpty)
    outbox.add(message(2, of: 1, .update), to: "a", now: after(1))
    #expect(try waiting(&outbox) == [1, 2])
    for number in 0..<UInt64(Outbox.limit) { outbox.add(message(100 + number), to: "a", now: after(1)) }
    #expect(try waiting(&outbox).prefix(2) == [1, 101] && outbox.figures(of: "a").dropped == 2)
    outbox.note(entry, .delivered, now: after(2))
    #expect(outbox.due(after(2)).first?.message.id.low == 101)
    #expect(outbox.figures(of: "a").delivered == 1)
  }

  /// Given up after a day, when it is refused, and when too many wait; each is counted.
  @Test func givenUp() throws {
    var outbox = Outbox(channels: ["a"], now: after(0))
    for number in 0..<UInt64(Outbox.limit) + 3 { outbox.add(message(number), to: "a", now: after(0)) }
    #expect(outbox.figures(of: "a").dropped == 3 && outbox.figures(of: "a").waiting == Outbox.limit)
    let first = try #require(outbox.due(after(1)).first)
    #expect(first.message.id.low == 3)
    outbox.note(first, .refused("401"), now: after(1))
    #expect(outbox.figures(of: "a").dropped == 4)
    #expect(outbox.due(after(86_401)).isEmpty)
    #expect(outbox.figures(of: "a").waiting == 0 && outbox.figures(of: "a").dropped == Outbox.limit + 3)
  }

  /// A restart tells what was not told, with the same ids, and of channels that are gone nothing.
  @Test func restarts() throws {
    var outbox = Outbox(channels: ["a", "b"], now: after(0))
    outbox.add(message(1), to: "a", now: after(0))
    outbox.add(message(2), to: "b", now: after(0))
    outbox.note(try #require(outbox.due(after(0)).first), .failed("no"), now: after(0))
    var again = Outbox(try saved(&outbox), channels: ["a"], now: after(1))
    let due = again.due(after(1))
    #expect(due.map(\.message.id.low) == [1] && due.first?.message == message(1))
    #expect(try saved(&again) != JSONValue.parse(Array("[]".utf8)))
    for damaged in ["{}", "[1]", #"[{"channel":"a"}]"#, #"[{"channel":"a","queued":"x","message":{}}]"#] {
      var box = Outbox(try JSONValue.parse(Array(damaged.utf8)), channels: ["a"], now: after(0))
      #expect(box.due(after(0)).isEmpty)
    }
  }

  /// A message is the same after it was written and read.
  @Test func messagesComeBackWhole() throws {
    var message = message(1, kind: .recovered)
    message.end = after(60)
    (message.region, message.cause, message.pageURL) = ("eu", "gateway", "https://s.example/")
    var member = AlertMessage.Member(
      checkID: UniqueID(high: 3, low: 4), name: "Shop \u{1F4A5}", target: "https://a/", rule: "down",
      severity: .high,
      since: after(0))
    (member.state, member.reason, member.text, member.until) = (.down, .httpStatus, "status 503", after(60))
    member.recent = [.init(at: after(0), state: .up, responseTime: .milliseconds(12))]
    (message.members, message.memberCount) = ([member], 7)
    var json = JSONWriter()
    message.write(to: &json)
    #expect(AlertMessage(try JSONValue.parse(json.bytes)) == message)
  }
}
