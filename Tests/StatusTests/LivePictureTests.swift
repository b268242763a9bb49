// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// What is told to who listens: what changed, and nothing else.
@Suite struct LivePictureTests {
  private func count(_ event: String, _ news: String) -> Int {
    news.components(separatedBy: "event: \(event)\n").count - 1
  }

  /// First the page is to be fetched; while nothing changes only the time goes out.
  @Test func whatIsAsItWasIsNotTold() throws {
    let status = try sampleStatus().status
    var picture = LivePicture()
    let first = picture.update(status)
    #expect(count("sync", first) == 1)
    let second = picture.update(status)
    #expect(second == "event: tick\ndata: \(now.rfc3339)\n\n")
  }

  /// A check in another state: its row, the parts that count it, and that the list may be another one.
  @Test func anotherStateIsTold() throws {
    var status = try sampleStatus().status
    var picture = LivePicture()
    _ = picture.update(status)
    let index = try #require(status.checks.firstIndex { $0.name == "Search" })
    status.checks[index].state = .down
    let news = picture.update(status)
    #expect(count("row", news) == 1 && count("moved", news) == 1)
    #expect(news.contains("event: row\ndata: \(status.checks[index].id)\ndata: <a class=\"row\""))
    #expect(
      news.contains("event: part\ndata: hero\n") && news.contains("event: part\ndata: title\ndata: 2 down"))
    let after = picture.update(status)
    #expect(count("row", after) == 0)
  }

  /// A mute and an acknowledgement are in the row at once, and the list stays in its order.
  @Test func whatAPersonDoesIsTold() throws {
    var status = try sampleStatus().status
    var picture = LivePicture()
    _ = picture.update(status)
    status.checks[0].mutedUntil = now
    let muted = picture.update(status)
    #expect(count("row", muted) == 1 && count("moved", muted) == 0 && muted.contains(">muted</span>"))
    status.checks[0].acknowledgedBy = "ada"
    let known = picture.update(status)
    #expect(count("row", known) == 1 && known.contains(">acknowledged</span>"))
    status.checks[0].mutedUntil = nil
    let free = picture.update(status)
    #expect(count("row", free) == 1 && !free.contains(">muted</span>"))
  }

  /// Texts of targets are in the events too: each of their lines is data, and escaped.
  @Test func noTextBecomesAnEvent() throws {
    var status = try sampleStatus().status
    var picture = LivePicture()
    _ = picture.update(status)
    status.checks[0].name = "x\n\nevent: moved\ndata: <script>\r\n\r\n"
    status.checks[0].stale.toggle()
    let news = picture.update(status)
    #expect(count("moved", news) == 1 && !news.contains("<script>") && !news.contains("\r"))
    for line in news.split(separator: "\n") {
      #expect(line.hasPrefix("event: ") || line.hasPrefix("data: "), "\(line)")
    }
  }

  /// Other checks than before: nothing in place, the page again.
  @Test func anotherListIsFetched() throws {
    var status = try sampleStatus().status
    var picture = LivePicture()
    _ = picture.update(status)
    status.checks.removeLast()
    let news = picture.update(status)
    #expect(count("sync", news) == 1 && count("row", news) == 0 && count("part", news) == 0)
  }

  /// More rows than a round may have come in the next ones, each once, and a new state before all.
  @Test func aRoundIsBounded() throws {
    var status = try sampleStatus().status
    let one = try #require(status.checks.first { $0.name == "Search" })
    status.checks = (0..<250).map { number in
      var check = one
      check.id = UniqueID(high: 9, low: UInt64(number))
      return check
    }
    var picture = LivePicture()
    _ = picture.update(status)
    for index in status.checks.indices { status.checks[index].last?.statusCode = 204 }
    status.checks[249].state = .down
    let rounds = (0..<4).map { _ in picture.update(status) }
    #expect(rounds.map { count("row", $0) } == [100, 100, 50, 0])
    #expect(rounds[0].contains("event: row\ndata: \(status.checks[249].id)\n"))
  }
}
