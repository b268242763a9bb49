// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What a plugin of Nagios prints: one line with figures, then text, within the bounds of those who read it.
@Suite struct NagiosTextTests {
  /// One figure, read by the grammar of the Monitoring Plugins Development Guidelines.
  struct Figure: Equatable {
    var label: String
    var value: Double
    var unit: String
    var rest: [String]
  }

  struct Malformed: Error { var text: Substring }

  static func parse(_ data: Substring) throws -> [Figure] {
    var rest = data
    var figures: [Figure] = []
    while !rest.isEmpty {
      guard rest.popFirst() == "'" else { throw Malformed(text: rest) }
      var label = ""
      while let next = rest.popFirst() {
        if next != "'" {
          label.append(next)
        } else if rest.first == "'" {
          label.append(rest.removeFirst())
        } else {
          break
        }
      }
      guard !label.isEmpty, !label.contains("="), rest.popFirst() == "=" else { throw Malformed(text: rest) }
      let word = rest.prefix { $0 != " " }
      rest = rest.dropFirst(word.count)
      if !rest.isEmpty { rest.removeFirst() }
      let parts = word.split(separator: ";", omittingEmptySubsequences: false)
      let digits = parts[0].prefix { "-.0123456789".contains($0) }
      guard let value = Double(digits), parts.count <= 5 else { throw Malformed(text: word) }
      let unit = String(parts[0].dropFirst(digits.count))
      guard ["", "s", "%", "B"].contains(unit) else { throw Malformed(text: word) }
      for range in parts.dropFirst() where !range.isEmpty {
        guard range.wholeMatch(of: /@?(~|-?[0-9.]+)?:?(-?[0-9.]+)?/) != nil else {
          throw Malformed(text: range)
        }
      }
      figures.append(Figure(label: label, value: value, unit: unit, rest: parts.dropFirst().map(String.init)))
    }
    return figures
  }

  /// The text before the figures, the figures, and the lines behind; a `|` is nowhere else.
  static func read(_ text: String) throws -> (head: String, figures: [Figure], lines: [Substring]) {
    #expect(text.utf8.count <= 4096 && text.hasSuffix("\n"))
    let lines = text.split(separator: "\n")
    let parts = lines[0].split(separator: "|", omittingEmptySubsequences: false)
    #expect(parts.count <= 2 && lines.dropFirst().allSatisfy { !$0.contains("|") })
    let figures = parts.count == 2 ? try parse(parts[1].drop { $0 == " " }) : []
    return (String(parts[0]), figures, Array(lines.dropFirst()))
  }

  private func web(_ verdict: Verdict = .ok, name: String = "Shop front", seconds: Double = 0.0421) throws
    -> CheckResult
  {
    try Explained.http(verdict) { result in
      result.check = name
      result.responseTime = Explained.ms(seconds * 1000)
      result.timings = Timings(
        dns: Explained.ms(1), connect: Explained.ms(2.5), tls: Explained.ms(10), firstByte: Explained.ms(20),
        total: Explained.ms(seconds * 1000))
      result.statusCode = 200
      result.tls = TLSFacts(verified: true, daysRemaining: 30, pathDaysRemaining: 12)
    }
  }

  private func check(_ change: (inout CheckDefinition) -> Void) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.url) = ("Shop front", "http", "https://shop.example/health")
    change(&definition)
    return try MonitoringCheck(definition)
  }

  /// The state, the name, the words, and every figure with the thresholds that are about it.
  @Test func oneCheckIsOneLine() throws {
    let check = try check {
      $0.plan.responseTime = Thresholds(warn: .milliseconds(500), fail: .seconds(2))
      $0.expect.certificate = Thresholds(warn: .seconds(21 * 86_400), fail: .seconds(36 * 3600))
    }
    let text = NagiosText(checks: [check.id: check]).render([try web()])
    let (head, figures, lines) = try Self.read(text)
    #expect(head == "OK - Shop front: 42.1 ms, 200, certificate 30 d ")
    #expect(
      text.split(separator: "|")[1].split(separator: "\n")[0]
        == " 'response_time'=0.0421s;0.5;2;0 'certificate_days'=12;21:;1.5: 'dns'=0.001s;;;0 'connect'=0.0025s;;;0 'tls'=0.01s;;;0 'first_byte'=0.02s;;;0 'total'=0.0421s;;;0"
    )
    #expect(figures.map(\.label).first == "response_time" && figures.count == 7)
    #expect(lines.first?.contains("UP") == true && lines.contains { $0.contains("first byte") })
  }

  /// Each state has the guidelines' word, and the words of the failure.
  @Test(arguments: [
    (
      Verdict(.httpStatus, phase: .assertion, message: "status 503"),
      "CRITICAL - Shop front: http_status: status 503 "
    ),
    (
      Verdict(.certificateExpiring, message: "12 days", degraded: true),
      "WARNING - Shop front: certificate_expiring: 12 days "
    ),
    (Verdict(.localFault, message: "no descriptor"), "UNKNOWN - Shop front: local_fault: no descriptor "),
  ])
  func theStateIsAWord(verdict: Verdict, head: String) throws {
    #expect(try Self.read(NagiosText(checks: [:]).render([try web(verdict)])).head == head)
  }

  /// What nobody took is unknown, as the exit code is; an outage stays one.
  @Test func whatIsNotDelivered() throws {
    let down = Verdict(.httpStatus, phase: .assertion, message: "status 503")
    func head(_ results: [CheckResult]) throws -> String {
      try Self.read(NagiosText(checks: [:], isDelivered: false).render(results)).head
    }
    #expect(try head([web()]).hasPrefix("UNKNOWN - the results were not delivered; Shop front: 42.1 ms"))
    #expect(try head([web(), web()]) == "UNKNOWN - the results were not delivered; 2 checks up ")
    #expect(
      try head([web(down)])
        == "CRITICAL - the results were not delivered; Shop front: http_status: status 503 ")
  }

  /// Nothing that a name or a target says is taken for a figure or for a line.
  @Test(arguments: ["a|b", "it's", "a=1 'b'=2", "Shop | 'x'=1s", "üñ 日本"])
  func wordsAreHarmless(name: String) throws {
    var result = try web(Verdict(.httpStatus, message: "| 'rta'=0s"), name: name)
    result.excerpt = "first|second\n'rta'=9s|x"
    let plain = name.replacing("|", with: "¦")
    let (head, figures, lines) = try Self.read(NagiosText(checks: [:]).render([result]))
    #expect(head == "CRITICAL - \(plain): http_status: ¦ 'rta'=0s ")
    #expect(figures.count == 7 && lines.contains { $0.contains("first¦second") })
    let several = try Self.read(NagiosText(checks: [:]).render([result, try web()]))
    #expect(several.figures[0].label == plain.replacing("=", with: "_") + "::response_time")
    #expect(several.head == "CRITICAL - 1 of 2 checks down: \(plain) ")
  }

  /// How many of how many, by name, and one line each.
  @Test func severalChecksAreASummary() throws {
    let results = [
      try web(Verdict(.connectRefused), name: "A"), try web(name: "B"), try web(Verdict(.body), name: "C"),
      try web(Verdict(.localFault), name: "D"),
      try web(Verdict(.certificateExpiring, degraded: true), name: "E"),
    ]
    let (head, figures, lines) = try Self.read(NagiosText(checks: [:]).render(results, unfinished: ["F"]))
    #expect(head == "CRITICAL - 2 of 6 checks down: A, C; 2 unknown: D, F; 1 degraded: E ")
    #expect(figures.count { $0.label.hasSuffix("::response_time") } == 5)
    #expect(
      lines.map { $0.prefix { $0 != ":" } } == [
        "CRITICAL - A", "OK - B", "CRITICAL - C", "UNKNOWN - D", "WARNING - E", "UNKNOWN - F",
      ])
    #expect(
      try Self.read(NagiosText(checks: [:]).render([try web(name: "A"), try web()])).head
        == "OK - 2 checks up ")
    #expect(NagiosText(checks: [:]).render([]) == "UNKNOWN - nothing was run\n")
  }

  /// However many there are and however long their names, it is 4 KiB at most, cut between figures and lines.
  @Test(arguments: [1, 2, 40, 500]) func itIsBounded(count: Int) throws {
    let results = try (0..<count).map { index in
      var result = try web(
        Verdict(.httpStatus, message: String(repeating: "日", count: 80)),
        name: String(repeating: "é", count: 40) + "\(index)")
      result.excerpt = String(repeating: "x ", count: 500)
      result.target = "https://shop.example/" + String(repeating: "a", count: 300)
      result.hops = (0..<20).map { Hop(url: "https://shop.example/\($0)", statusCode: 302) }
      return result
    }
    let (_, figures, lines) = try Self.read(NagiosText(checks: [:]).render(results))
    #expect(!figures.isEmpty && !lines.isEmpty)
    if count > 2 { #expect(figures.allSatisfy { $0.label.hasSuffix("::response_time") }) }
    #expect(count < 3 || lines.last?.wholeMatch(of: /and (1 more line|([2-9]|[0-9]{2,}) more lines)/) != nil)
  }

  /// Loss in percent and round trips in seconds, with the thresholds of the check.
  @Test func aPingHasItsLoss() throws {
    let result = try Explained.result("ping", .ok, { $0.host = "a.example" }) {
      $0.ping = PingFacts(sent: 3, received: 2, average: Explained.ms(1.5))
      $0.responseTime = Explained.ms(400)
    }
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = ("Shop front", "ping", "a.example")
    definition.ping.loss = Thresholds(warn: 10, fail: 50)
    definition.ping.rtt = Thresholds(warn: .milliseconds(100))
    let check = try MonitoringCheck(definition)
    let figures = try Self.read(NagiosText(checks: [result.checkID: check]).render([result])).figures
    #expect(
      figures.contains(Figure(label: "loss", value: 33.333333, unit: "%", rest: ["10", "50", "0", "100"])))
    #expect(figures.contains(Figure(label: "rtt_avg", value: 0.0015, unit: "s", rest: ["0.1", "", "0"])))
  }
}
