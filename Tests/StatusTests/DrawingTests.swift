// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Lines, counts and badges: where their shapes are.
@Suite struct DrawingTests {
  /// A line ends at a failure and begins again after it, and what failed or is unknown has a mark in its place.
  @Test func aLineIsBrokenByFailures() throws {
    let check = try makeCheck("Shop front")
    let states: [CheckState] = [.up, .down, .degraded, .up, .unknown]
    let results = states.enumerated().map { makeResult(check, minute: $0.offset, state: $0.element) }
    let html = Drawing.line(results.reversed()).html
    let lines = html.matches(of: /<path class="line" d="M([^"]*)"/).map { String($0.1) }
    let places = lines.map { line in line.matches(of: #/([0-9.]+) [0-9.]+ /#).map { String($0.1) } }
    #expect(places == [["56.0"], ["424.0", "608.0"]])
    #expect(lines.map { $0.hasSuffix("h0.1") } == [true, false])
    let marks = html.matches(of: /<text class="mark f-([a-z]+)" x="([0-9.]+)"/).map { "\($0.1) \($0.2)" }
    #expect(marks == ["down 240.0", "unknown 792.0"])
  }

  /// A count has the mark of its state from one on.
  @Test func countsHaveMarks() throws {
    var snapshot = try sampleStatus().status
    func marks() -> [String] {
      HeroSection(snapshot).counts().html.matches(of: /<span class="mark ([a-z]*)" aria-hidden/).map {
        String($0.1)
      }
    }
    #expect(marks() == ["down", "degraded", "unknown", "up"])
    snapshot.checks.removeAll { $0.name == "Search" }
    #expect(marks() == ["down", "", "unknown", "up"])
    snapshot.checks.removeAll { $0.name == "Shop front" }
    #expect(marks() == ["", "", "unknown", "up"])
  }

  /// The headline says since when what is worst has been so, and since when nothing is wrong.
  @Test func sinceWhen() throws {
    var snapshot = try sampleStatus().status
    func since(_ name: String) throws -> String {
      let check = try #require(snapshot.checks.first { $0.name == name })
      return Layout.since(try #require(check.since), now: snapshot.now).html
    }
    for name in ["Shop front", "Search", "Mail <b>gateway</b>"] {
      let words = try since(name)
      #expect(HeroSection(snapshot).render().html.contains(words), "\(name)")
      snapshot.checks.removeAll { $0.name == name }
    }
    #expect(!HeroSection(snapshot).render().html.contains("since "))
  }

  /// The newest of few runs is on the right, and of many the newest 40 are shown.
  @Test func theNewestRunIsOnTheRight() {
    func places(_ states: [CheckState], of state: CheckState = .up) -> [Int] {
      let html = Drawing.spark(states.map { SparkPoint(state: $0, responseTime: .milliseconds(10)) }).html
      let bars = html.matches(of: /class="f-([a-z]+)" d="([^"]*)"/).first { $0.1 == state.rawValue }
      return bars?.2.matches(of: /M([0-9]+) [0-9]/).compactMap { Int($0.1) } ?? []
    }
    for count in [0, 1, 3, 39, 40] {
      let states = [CheckState](repeating: .up, count: count)
      #expect(places(states) == Array(stride(from: 160 - count * 4, to: 160, by: 4)), "\(count)")
    }
    let few: [CheckState] = [.down, .up, .degraded]
    #expect(few.map { places(few, of: $0) } == [[148], [152], [156]])
    let many: [CheckState] = [.down] + [CheckState](repeating: .up, count: 39) + [.degraded]
    #expect(places(many, of: .down) == [] && places(many, of: .degraded) == [156])
    #expect(places(many) == Array(stride(from: 0, to: 156, by: 4)))
  }

  /// Of several in its state the headline names the first that went down, and the last that came back.
  @Test(arguments: [(.down, 540), (.degraded, 540), (.up, 120)] as [(CheckState, Int)])
  func sinceTheFirstOrTheLast(state: CheckState, seconds: Int) throws {
    var snapshot = try sampleStatus().status
    snapshot.checks.removeAll { !["Shop front", "Search", "Mail <b>gateway</b>"].contains($0.name) }
    for (index, ago) in [300, 540, 120].enumerated() {
      snapshot.checks[index].state = state
      snapshot.checks[index].since = snapshot.now.advanced(by: .seconds(-ago))
    }
    let words = Layout.since(snapshot.now.advanced(by: .seconds(-seconds)), now: snapshot.now).html
    let html = HeroSection(snapshot).render().html
    #expect(html.contains(words), "\(html)")
  }

  /// Tenths of a pixel for each kind of character, cut, and eight pixels at least.
  @Test(
    arguments: [
      ("", 8), ("i", 8), ("iljIl.,:;\'", 35), ("mwMW%@mwMW", 100), ("ABCXYZABCX", 78), ("abz019-+/_", 66),
      ("éüßéüßéüßé", 110), ("iA", 11),
    ])
  func widthsOfABadge(text: String, width: Int) {
    let svg = String(decoding: Badge(label: text, value: "up", tone: .up).render(), as: UTF8.self)
    let widths = svg.matches(of: /textLength="([0-9]+)"/).map { String($0.1) }
    #expect(widths == ["\(width)", "13"])
    #expect(svg.contains("width=\"\(width + 13 + 24)\" height=\"20\""))
  }
}
