// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Channels of an earlier run as the file has them: what of it is read, and how many.
@Suite struct FormerChannelTests {
  private func read(_ text: String) throws -> FormerChannel? { FormerChannel(try JSONValue.parse(text.utf8)) }

  @Test func limits() throws {
    func x(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(try read(#"{"name":"\#(x(100))"}"#)?.name == x(100))
    #expect(try read(#"{"name":"\#(x(101))"}"#)?.name == nil && read("{}")?.name == nil)
    let bare = try #require(try read(#"{"name":"ops"}"#))
    #expect(bare.receiver == nil && bare.channel == nil && bare.isSame(as: makeWebhook("a", .json)))
    let recipients = (0..<51).map { #""a\#($0)@x.example""# }.joined(separator: ",")
    let text = #"{"name":"ops","receiver":"\#(x(70))","target":"\#(x(300))","recipients":[\#(recipients)]}"#
    let receiver = try #require(try read(text)?.receiver)
    #expect(receiver.digest.utf8.count == 64 && receiver.target.utf8.count == 256)
    #expect(receiver.recipients == (0..<50).map { "a\($0)@x.example" })
    #expect(try read(#"{"name":"ops","receiver":"d"}"#)?.receiver == .init(digest: "d", target: ""))
  }

  /// Nothing that could end a line or an address of a mail.
  @Test(
    arguments: [
      ("!~@x", true), ("a b", false), ("a\\u007f", false), ("a<b", false), ("a>b", false), ("é", false),
      ("a\\n", false), (String(repeating: "x", count: 320), true),
      (String(repeating: "x", count: 321), false),
    ])
  func addresses(text: String, isRead: Bool) throws {
    let former = try read(#"{"name":"ops","receiver":"d","recipients":["\#(text)"]}"#)
    #expect(former?.receiver?.recipients.isEmpty == !isRead)
  }

  /// A hundred channels are read, in their order.
  @Test func aHundred() throws {
    let web = try makeCheck("web")
    let names = (0...100).map { "c\(1000 + $0)" }
    var desk = Desk(quickSettings(channels: names), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 4)
    #expect(desk.told.count == 101)
    let saved = try desk.saved(at: 5)
    var next = Desk(quickSettings(channels: []), [web], saved: saved, at: 6)
    let left = next.book.drainLeftOpen().map(\.channel)
    #expect(Set(left.map { String($0.prefix(5)) }) == Set(names.dropLast()))
  }

  /// Where receivers go: the same one under another name, another one under the same, and none at all.
  @Test func moves() throws {
    func settings(_ channels: [AlertChannel]) -> AlertSettings {
      var settings = quickSettings(channels: [])
      settings.channels = channels
      return settings
    }
    func words(
      _ before: [AlertChannel], _ after: [AlertChannel], taken: Set<String> = []  // own text: channels
    ) -> [String] {
      let moves = ChannelMoves(before.map { FormerChannel($0) }, to: settings(after), taken: taken)
      #expect(moves.isEmpty == (moves.renames.isEmpty && moves.retired.isEmpty))
      return moves.renames.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
        + moves.retired.map { retired in
          "\(retired.former.name) goes as \(retired.name)\(retired.isPart ? " in part" : "")"
            + "\(retired.channel == nil ? " without an end" : "")\(retired.twin.map { ", twin \($0)" } ?? "")"
        } + moves.left.sorted().map { "\($0) left" }
    }
    let (a, b) = (makeWebhook("a", .json), makeWebhook("b", .json))
    let (pager, chat) = (makePagerDuty("a"), makeWebhook("a", .slack))
    #expect(words([a], [a]).isEmpty && words([], [a]).isEmpty)
    #expect(words([a], [b]) == ["a is b", "a left"])
    #expect(words([a], []) == ["a goes as a", "a left"])
    #expect(words([a], [pager]) == ["a goes as a (former)", "a left"])
    #expect(words([a], [pager], taken: ["a (former)"]) == ["a goes as a (former 2)", "a left"])
    #expect(words([a, b], [b]) == ["a goes as a, twin b", "a left"])
    #expect(words([a, b], [chat, b]) == ["a goes as a (former), twin b", "a left"])
  }

  /// Recipients of a mail that it does not go to any more hear the end by the mail that stays.
  @Test func recipients() throws {
    func mail(_ recipients: [String]) -> AlertChannel {
      AlertChannel(
        name: "mail",
        kind: .mail(
          MailChannel(
            server: Endpoint(host: "m.example", port: 25), security: .none, sender: "q@x.example",
            recipients: recipients)))
    }
    var settings = quickSettings(channels: [])
    settings.channels = [mail(["b@x", "c@x"])]
    let moves = ChannelMoves([FormerChannel(mail(["a@x", "b@x"]))], to: settings, taken: [])
    let retired = try #require(moves.retired.first)
    #expect(moves.renames.isEmpty && moves.retired.count == 1 && moves.left.isEmpty && !moves.isEmpty)
    #expect(retired.isPart && retired.name == "mail (former)" && retired.twin == nil)
    #expect(retired.channel?.name == "mail (former)" && retired.channel?.receiver.recipients == ["a@x"])
  }
}
