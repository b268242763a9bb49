// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import StatusSupport
import Testing
@testable import History
@testable import Status

/// Outages that are told as one, where the oldest of them are not kept any more.
@Suite struct PublicStoryTests {
  /// The newest of the outages; those before are sums.
  private func kept(_ count: Int, of outages: [PublicCheck.Downtime]) -> [PublicCheck.Downtime] {
    let spans = outages.dropFirst(count).reversed().map { outage in
      Span(start: outage.begin.microseconds, end: outage.begin.advanced(by: outage.length).microseconds)
    }
    var kept = Array(outages.prefix(count))
    guard let first = spans.first else { return kept }
    var earlier = EarlierOutages(first)
    for span in spans.dropFirst() { earlier.add(span) }
    kept[count - 1].earlier = earlier
    return kept
  }

  /// An entry keeps its id, its begin and its number, however few of its outages are kept.
  @Test(arguments: 1...3) func anEntryStaysTheSame(count: Int) async throws {
    var picture = try await publicPicture([.up])
    let all = [publicOutage(40, 2), publicOutage(20, 3), publicOutage(0, 1)]
    picture.sections[0].checks[0].outages = all
    let whole = PublicFeed(picture: picture, language: .english).items
    picture.sections[0].checks[0].outages = kept(count, of: all)
    let items = PublicFeed(picture: picture, language: .english).items
    #expect(items.count == 1 && items.map(\.id) == whole.map(\.id))
    let item = try #require(items.first)
    #expect(item.title == "Check 0 was down 3 times, 6 min in all")
    #expect(item.text == "Thu 1 Jan, 00:00 UTC to 00:42 UTC")
    #expect(item.published == started && item.updated == started.advanced(by: .seconds(42 * 60)))
    let fold = try #require(OutageFold.all(of: picture.checks[0]).first)
    #expect(fold.words(EnglishWords()) == "down 3 times within 42 min, 6 min in all")
  }

  /// Outages that only the absence of the agent divides are one, however long it was away.
  @Test(arguments: [20, 400]) func anOutageInPieces(minute: Int) async throws {
    var picture = try await publicPicture([.down])
    var later = publicOutage(minute, nil)
    later.isContinued = true
    picture.sections[0].checks[0].outages = [later, publicOutage(0, 13)]
    let fold = try #require(OutageFold.all(of: picture.checks[0]).first)
    #expect(OutageFold.all(of: picture.checks[0]).count == 1 && fold.count == 1)
    #expect(fold.begin == started && fold.newest == started && fold.changed == started)
    #expect(fold.words(EnglishWords()) == "down for 14 min so far")
    let items = PublicFeed(picture: picture, language: .english).items
    #expect(items.map(\.title) == ["Check 0 is down"])
    #expect(items.map(\.text) == ["Since Thu 1 Jan, 00:00 UTC."])
  }

  /// The words of a day whose down time is more than that of the outages that are known.
  @Test(
    arguments: [
      (60, " (01:00–01:01 UTC)"), (61, " (01:00–01:01 UTC, and more)"), (780, " (01:00–01:01 UTC, and more)"),
    ])
  func aDayWithMore(down: Int, ranges: String) async throws {
    var picture = try await publicPicture([.up])
    var time = Tally()
    (time.up, time.down) = (Int64(86_400 - down) * 1_000_000, Int64(down) * 1_000_000)
    picture.sections[0].checks[0].days = [
      SeriesPoint(start: started, width: .seconds(86_400), time: time)
    ]
    picture.sections[0].checks[0].outages = [publicOutage(60, 1)]
    let html = PublicPage(picture: picture).render(nonce: "n").html
    let title = try #require(html.firstMatch(of: /<g data-i="0"><title>([^<]*)<\/title>/)?.1)
    #expect(title.hasPrefix("Thu 1 Jan · ") && title.hasSuffix(ranges), "\(title)")
  }

  /// More outages, of which the number is not known.
  @Test func wordsForMore() {
    #expect(
      PublicLanguage.allCases.map { $0.words.andMore }.sorted()
        == ["and more", "e mais", "et d’autres", "und weitere", "y más", "ほか"])
  }
}
