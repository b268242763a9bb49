// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// How the response times of `once --count` are spread, and the line while it runs.
@Suite struct TimeHistogramTests {
  /// Every value is in the one bucket whose bounds hold it; there are twelve at most, without gaps, the same on every
  /// scale of times.
  @Test(
    arguments: [
      [1], [1, 1, 1], [40.0, 40.1, 40.2, 41], [0.001, 30_000], [0.02, 0.2, 2, 20, 200, 2000],
      (1...100).map { Double($0) }, [0.001, 0.001], [9.999, 10, 10.001], [0, 5],
    ] as [[Double]])
  func eachValueIsInItsBucket(times: [Double]) {
    let buckets = TimeHistogram(sorted: times).buckets
    #expect((1...12).contains(buckets.count))
    #expect(buckets.reduce(0) { $0 + $1.count } == times.count)
    for (index, bucket) in buckets.enumerated() {
      #expect(bucket.lower < bucket.upper)
      if index > 0 { #expect(buckets[index - 1].upper == bucket.lower) }
      let inside = times.count { max($0, 1e-6) >= bucket.lower && max($0, 1e-6) < bucket.upper }
      #expect(inside == bucket.count, "\(bucket) of \(times)")
    }
    #expect(buckets.first?.count ?? 0 > 0 && buckets.last?.count ?? 0 > 0)
  }

  /// What lies close together is told apart: the finest scale that fits.
  @Test func theScaleIsTheFinestThatFits() {
    #expect(TimeHistogram(sorted: [40, 40.3, 40.6, 41, 42]).buckets.count >= 5)
    #expect(TimeHistogram(sorted: []).buckets.isEmpty)
  }

  /// It fits the terminal, and is ASCII where that shows nothing else; a single value is seen beside a million.
  @Test(arguments: [20, 30, 60, 80, 200], [true, false]) func itFits(width: Int, isASCII: Bool) {
    let times = Array(repeating: 1.0, count: 100_000) + [20, 300, 4000, 50_000]
    let lines = TimeHistogram(sorted: times).lines(width: width, isASCII: isASCII)
    #expect(lines.count <= 12)
    for line in lines { #expect(line.columns <= width, "\(line)") }
    if isASCII { #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } || width < 25) }
    if width >= 60 {
      #expect(lines.last?.hasSuffix(isASCII ? "  #" : "  ▏") == true, "\(lines)")
    }
  }

  /// The check gives way before its figures do.
  @Test(arguments: [40, 79, 120]) func theLiveLineFits(width: Int) throws {
    var figures = LiveFigures()
    var last: CheckResult?
    for time in [40.0, 44, 42, 48] {
      let result = try Explained.http(.ok) {
        $0.check = "A check with a name that is rather long for one line of a terminal"
        $0.responseTime = Explained.ms(time)
      }
      figures.add(result)
      last = result
    }
    figures.add(try Explained.http(Verdict(.connectRefused)) { _ in })
    let line = figures.line(try #require(last), done: 5, of: 30, width: width)
    #expect(line.columns <= width)
    #expect(line.hasPrefix("5/30  A check"), "\(line)")
    if width >= 79 {
      #expect(line.hasSuffix("48.0 ms  p50 42.0 p95 48.0 p99 48.0  loss 20.0%  jitter 4.0"), "\(line)")
    }
  }

  /// A port nearby answers in less than a tenth of a millisecond, which is not nothing.
  @Test(arguments: [
    (0.046, "0.046"), (0, "0.000"), (0.9994, "0.999"), (0.9996, "1.0"), (42.04, "42.0"), (318.4, "318"),
  ])
  func shortTimesHaveTheirDigits(milliseconds: Double, text: String) {
    #expect(latency(milliseconds) == text)
  }

  /// The table of figures fits, with the one that says most in it.
  @Test(arguments: [40, 60, 80, 120]) func theTableFits(width: Int) throws {
    let results = try [40.0, 44, 42].map { time in
      try Explained.http(.ok) { $0.responseTime = Explained.ms(time) }
    }
    let text = LatencySummary.table(
      [LatencySummary(check: "A check with a name that is rather long for this", results: results)],
      width: width)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.columns <= width }, "\(text)")
    #expect(lines[0].contains("P50") && lines[1].contains("42.0"))
    if width >= 80 { #expect(lines[0].contains("JITTER")) }
  }
}
