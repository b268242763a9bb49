// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What people read of groups, histograms, certificates and imports that run beside the old monitor, word for word.
@Suite struct PlainTextTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  private func row(_ cells: String...) -> String { cells.joined(separator: "  ") }

  /// Ten buckets of a third of a power of ten, four values in the first and one in each third one.
  private let histogram = TimeHistogram(sorted: [1.5, 1.5, 1.5, 1.5, 15, 150, 1500])

  /// Bars are as long as their share of the room, in eighths of a column or in whole signs.
  @Test func barsOfAHistogram() {
    let bounds = [
      "1.000", "2.154", "4.642", "10.00", "21.54", "46.42", "100.0", "215.4", "464.2", "1000", "2154",
    ]
    let counts = [4, 0, 0, 1, 0, 0, 1, 0, 0, 1]
    func lines(_ sign: String, _ most: String, _ one: String) -> [String] {
      counts.indices.map { place in
        let label = "\(bounds[place]) \(sign) \(bounds[place + 1]) ms"
        let space = String(repeating: " ", count: 16 - label.count)
        let bar = ["", "  \(one)", "", "", "  \(most)"][counts[place]]
        return "  \(space)\(label)  \(counts[place])\(bar)"
      }
    }
    #expect(histogram.lines(width: 31, isASCII: true) == lines("-", "########", "##"))
    #expect(histogram.lines(width: 31, isASCII: false) == lines("–", "████████", "██"))
    #expect(histogram.lines(width: 30, isASCII: true) == lines("-", "#######", "#"))
    #expect(histogram.lines(width: 30, isASCII: false) == lines("–", "███████", "█▊"))
    #expect(histogram.lines(width: 23, isASCII: true) == lines("-", "", "").map { $0.trimmedEnd })
  }

  /// A histogram as programs read it: bounds to a nanosecond, and how often.
  @Test func aHistogramAsADocument() throws {
    var writer = JSONWriter()
    histogram.write(to: &writer)
    let buckets = try #require(try json(writer.text).array)
    let bounds = [
      1, 2.154435, 4.641589, 10, 21.544347, 46.415888, 100, 215.443469, 464.158883, 1000, 2154.43469,
    ]
    #expect(buckets.map { $0["from_ms"]?.double } == bounds.dropLast().map { Optional($0) })
    #expect(buckets.map { $0["to_ms"]?.double } == bounds.dropFirst().map { Optional($0) })
    #expect(buckets.map { $0["count"]?.integer } == [4, 0, 0, 1, 0, 0, 1, 0, 0, 1])
  }

  /// The figures of the rounds so far: of each success, and of each run.
  @Test func liveFigures() throws {
    var figures = LiveFigures()
    #expect(
      figures.loss == nil && figures.jitter == nil && figures.deviation == nil && figures.percentile(1) == nil
    )
    for time in [9.0, 2, 5, 4, 7, 4, 5, 4] {
      figures.add(try Explained.http(.ok) { $0.responseTime = Explained.ms(time) })
      if figures.runs == 1 { #expect(figures.deviation == nil && figures.jitter == nil) }
    }
    #expect(figures.sorted == [2, 4, 4, 4, 5, 5, 7, 9] && figures.deviation == 2.138)
    // 7, 3, 1, 3, 3, 1 and 1 from each to the next.
    #expect(figures.jitter == 2.714 && figures.outliers == 1)
    #expect([0, 0.125, 0.126, 0.5, 1].map { figures.percentile($0) } == [2, 2, 4, 4, 9])
    for _ in 0..<2 { figures.add(try Explained.http(Verdict(.connectRefused)) { _ in }) }
    #expect(figures.runs == 10 && figures.successes == 8 && figures.loss == 20)
    // A run without a verdict is a run, and no loss.
    let unknown = try Explained.http(Verdict(.localFault)) { _ in }
    for _ in 0..<2 { figures.add(unknown) }
    #expect(figures.runs == 12 && figures.successes == 8 && figures.loss == 20)
    var none = LiveFigures()
    none.add(unknown)
    #expect(none.runs == 1 && none.loss == nil)
    #expect(none.line(unknown, done: 1, of: 3, width: 80) == "1/3  Shop front local_fault  loss -")
  }

  private static let group = """
    {"name":"london","member":"a","view":12,"owned":3,"checks":7,"held":1,"standing_in":2,"notified_by":"bb",
    "members":[
    {"name":"a","version":"1.0","weight":1,"owns":7,"applied":12,"self":true,"without":1,"clock_ahead_ms":1000},
    {"name":"bb","version":"1.1","weight":20,"owns":0,"applied":9,"leaving":true,"apart":true,"clock_ahead_ms":1001},
    {"name":"c","version":"1.1","weight":3,"owns":0,"applied":0,"without":2,"clock_ahead_ms":-2600}],
    "moves":[{"at":"2026-01-04T02:00:00.000Z","what":"b joined","view":11},
    {"at":"2026-01-04T03:00:00.000Z","what":"b left","view":12}],
    "placement":[{"name":"Shop","owner":"a","standby":"bb","here":true},{"name":"Bank","owner":"bb"}],
    "problems":[{"what":"no quorum","hint":"look at etcd"},{"what":"slow"}]}
    """

  /// The group of a running agent: its members with what is to be said of each, the latest move first, and its problems.
  @Test func aGroup() throws {
    let lines = GroupText(width: 200).render(try json(Self.group)).components
    let checks = "3 of 7 checks here, 1 run until their new owner does, 2 stood in for, bb notifies"
    #expect(lines.prefix(2) == ["group london, seen by a, view 12, \(checks)", ""])
    #expect(lines[2].hasPrefix(row("MEMBER", "VERSION   ", "WEIGHT", "     OWNS", "   APPLIED")))
    #expect(
      lines[3...5] == [
        row("a     ", "1.0       ", "     1", "        7", "        12", "this agent, refuses 1 check"),
        row(
          "bb    ", "1.1       ", "    20", "        0", "         9",
          "leaving, other configuration, clock 1 s ahead"),
        row(
          "c     ", "1.1       ", "     3", "        0", "         0", "refuses 2 checks, clock 3 s behind"),
      ])
    #expect(
      lines[6...8] == [
        "", "2026-01-04 03:00:00Z  b left (view 12)", "2026-01-04 02:00:00Z  b joined (view 11)",
      ])
    #expect(lines[9].isEmpty && lines[10].hasPrefix(row("CHECK", "OWNER", "STANDBY", "HERE")))
    #expect(lines[11].hasPrefix(row("Shop ", "a    ", "bb     ", "yes")))
    #expect(lines[12].hasPrefix(row("Bank ", "bb")) && !lines[12].contains("yes"))
    #expect(lines[13...] == ["", "▲ no quorum", "  → look at etcd", "", "▲ slow", ""])
  }

  /// A group that was not reached says so, and since when its member is alone.
  @Test(arguments: [
    (#""view":0"#, "not in it yet, 0 of 0 checks here"),
    (#""view":0,"alone_since":"T""#, "not reached since the start, 0 of 0 checks here, alone since T"),
    (#""view":3,"remembered_at":"T""#, "view 3 of before the start, 0 of 0 checks here"),
    (#""view":3,"owned":1234,"checks":12345"#, "view 3, 1,234 of 12,345 checks here"),
  ])
  func headlines(members: String, words: String) throws {
    let line = GroupText(width: 200).render(try json(#"{"name":"g","member":"a",\#(members)}"#)).components[0]
    #expect(line == "group g, seen by a, \(words)")
  }

  /// What an import beside the old monitor found, by check and in all; one difference is worth a look.
  @Test func verdictsBesideTheOldMonitor() {
    let book = DiffBook(["Shop", "Bank", "Mail"])
    #expect(book.status == ExitStatus.unknown)
    let sum = { (same: Int, differ: Int, moment: Int, none: Int) in
      "3 checks: \(same) verdicts the same, \(differ) differ, \(moment) differed for a moment, "
        + "\(none) could not be compared"
    }
    #expect(book.report == ["Shop: not asked", "Bank: not asked", "Mail: not asked", sum(0, 0, 0, 0)])
    book.note(.unknown("no answer"), of: 0)
    #expect(book.status == ExitStatus.unknown)
    book.note(.passing, of: 1)
    #expect(book.status == ExitStatus.up)
    for _ in 0..<2 { book.note(.same, of: 0) }
    book.note(.differs("first"), of: 2)
    book.note(.differs("last\u{7}"), of: 2)
    #expect(book.status == ExitStatus.degraded)
    #expect(
      book.report == [
        "Shop: 2 same, 1 not compared", "    last: no answer", "Bank: 1 differed for a moment",
        "Mail: 2 differ",
        "    last: last\\u{7}", sum(2, 2, 1, 1),
      ])
  }

  private func lines(_ tls: TLSFacts, color: Bool = false) -> [String] {
    CertificateText(paint: Paint(isOn: color)).lines(tls, at: Explained.now)
  }

  /// A chain with the names of its leaf, who issued each, and how long each lasts.
  @Test func aChain() {
    let root = Explained.certificate("CN=Root", by: "CN=Root", days: -3, sans: ["root.example"])
    var tls = TLSFacts(
      version: "TLSv1.3", cipher: "AES", verified: true, daysRemaining: 20, pathDaysRemaining: 7,
      chain: Explained.chain(days: 20) + [root])
    let chain = [
      "0  CN=shop.example  20 days left (2027-02-04)", "   for shop.example, www.shop.example",
      "   issued by CN=Intermediate", "1  CN=Intermediate  800 days left (2029-03-25)",
      "   issued by CN=Root",
      "2  CN=Root  expired 3 days ago (2027-01-12)", "   issued by itself",
    ]
    #expect(
      lines(tls) == ["TLSv1.3, AES", "✓ verified"] + chain
        + ["earliest end in the verified path: 7 days left"])
    (tls.version, tls.cipher, tls.verified, tls.pathDaysRemaining) = (nil, nil, false, 20)
    #expect(lines(tls) == ["✕ not verified: not judged"] + chain)
    tls.verifyError = "expired"
    #expect(lines(tls).first == "✕ not verified: expired")
  }

  /// The colour of a certificate's life: good from 21 days on, a warning before, and bad where it does not hold.
  @Test(arguments: [(21, "32"), (20, "33"), (0, "33"), (-1, "31")] as [(Int64, String)])
  func coloursOfALife(days: Int64, code: String) {
    let tls = TLSFacts(verified: true, chain: [Explained.certificate("CN=a", by: "CN=b", days: days)])
    let line = lines(tls, color: true)[1]
    #expect(line.hasPrefix("0  CN=a  \u{1b}[\(code)m") && line.hasSuffix("\u{1b}[0m"), "\(line)")
  }

  /// One number on each surface, rounded down: the days that are left, and those that have passed since the end.
  @Test(
    arguments: [
      (1, "0 days left", "certificate 0 d"), (0, "0 days left", "certificate 0 d"),
      (-1, "expired less than a day ago", "certificate expired less than a day ago"),
      (-86_399, "expired less than a day ago", "certificate expired less than a day ago"),
      (-86_400, "expired 1 day ago", "certificate expired 1 day ago"),
      (-28_684_799, "expired 331 days ago", "certificate expired 331 days ago"),
      (-28_684_801, "expired 332 days ago", "certificate expired 332 days ago"),
    ] as [(Int64, String, String)])
  func theDaysAreOneNumber(seconds: Int64, words: String, detail: String) throws {
    var certificate = Explained.certificate("CN=a", by: "CN=b", days: 0)
    certificate.notAfter = Explained.now.advanced(by: .seconds(seconds))
    let days = TLSFacts.wholeDays(from: Explained.now, to: certificate.notAfter)
    let tls = TLSFacts(
      verified: false, notAfter: certificate.notAfter, daysRemaining: days, chain: [certificate])
    #expect(lines(tls)[1].hasPrefix("0  CN=a  \(words) ("))
    let result = try Explained.http(.ok) { $0.tls = tls }
    #expect(result.detail == detail)
  }

  /// A certificate that is not valid yet says from when on it is.
  @Test func notYetValid() {
    var certificate = Explained.certificate("CN=a", by: "CN=b", days: 90)
    certificate.notBefore = Explained.now.advanced(by: .seconds(1))
    let tls = TLSFacts(verified: true, chain: [certificate])
    #expect(lines(tls)[1] == "0  CN=a  not valid before 2027-01-15")
    certificate.notBefore = Explained.now
    #expect(
      lines(TLSFacts(verified: true, chain: [certificate]))[1] == "0  CN=a  90 days left (2027-04-15)")
  }
}

extension String {
  fileprivate var components: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Without blanks at its end.
  fileprivate var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
