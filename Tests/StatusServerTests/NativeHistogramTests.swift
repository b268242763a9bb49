// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import Testing

@testable import Status

/// The protobuf format, which alone has native histograms; a Prometheus reads it in `PrometheusStories`.
@Suite struct NativeHistogramTests {
  private func families() async throws -> [Fields] {
    let source = try sampleSource()
    let bytes = OpenMetrics.render(source.status, await source.metrics(), .protobuf)
    return try Fields.stream(bytes)
  }

  /// It says what the text says: the same families with as many samples, labels unescaped.
  @Test func itSaysWhatTheTextSays() async throws {
    var source = try sampleSource()
    source.status.checks[0].name = "a\"b\\c\nd"
    let view = await source.metrics()
    let families = try Fields.stream(OpenMetrics.render(source.status, view, .protobuf))
    let names = families.compactMap { $0.text(1) }
    let lines = String(decoding: OpenMetrics.render(source.status, view, .plain), as: UTF8.self)
      .split(separator: "\n")
    let told = lines.filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
    #expect(names == told && Set(names).count == names.count)
    for family in families where family.number(3) != 4 {
      let name = try #require(family.text(1)) + (family.number(3) == 2 ? "_sum" : "")
      let samples = lines.filter { $0.hasPrefix(name + "{") || $0.hasPrefix(name + " ") }
      #expect(try family.all(4).count == samples.count, "\(name)")
    }
    let latency = try #require(families.first { $0.text(1) == "quartz_check_latency_seconds" })
    let sums = try latency.all(4).compactMap { try $0.all(4).first }
    // Three checks of two hours, the first of which failed four times, and one that never ran.
    #expect(sums.compactMap { $0.number(1) }.sorted() == [0, 116, 120, 120] && latency.number(3) == 2)
    #expect(
      sums.allSatisfy { sum in
        sum.number(2).map { Double(bitPattern: $0) > 0 } == (sum.number(1) != 0)
      })
    let states = try #require(families.first { $0.text(1) == "quartz_check_state" })
    let label = try #require(try states.all(4).first?.all(1).first)
    #expect(label.text(1) == "check" && label.text(2) == "a\"b\\c\nd")
  }

  /// Each time is in one bucket, in the one that its length says; the fixed bounds stay beside them.
  @Test func everyTimeIsInItsBucket() async throws {
    var times = LatencyHistogram()
    for microseconds in [0, 1, 500_000, 500_001, 500_002, 1_000_000, 60_000_000] {
      times.add(.microseconds(microseconds))
    }
    let counts = Dictionary(
      uniqueKeysWithValues: zip(LatencyHistogram.fine, times.fineCounts).filter { $0.1 > 0 })
    // 2^(-8/8) is half a second, and in its own bucket; the next one begins above it.
    #expect(counts == [-159: 1, -8: 1, -7: 2, 0: 1, 48: 1] && times.zeros == 1 && times.count == 7)
    var family = MetricFamilyMessage("x", .histogram, "y")
    family.add(MetricsText.Labels(), times)
    var bytes: [UInt8] = []
    family.write(to: &bytes)
    let histogram = try #require(try Fields.stream(bytes).first?.all(4).first?.all(7).first)
    #expect(histogram.number(1) == 7 && histogram.signed(5) == [3] && histogram.number(7) == 1)
    #expect(try histogram.all(3).count == LatencyHistogram.bounds.count + 1)
    let spans = try histogram.all(12).map { [$0.signed(1).first ?? 0, Int64($0.number(2) ?? 0)] }
    #expect(spans == [[-159, 1], [150, 2], [6, 1], [47, 1]])
    #expect(histogram.signed(13) == [1, 0, 1, -1, 0])
  }

  /// Of what is wanted as much, the protobuf format comes first, then OpenMetrics, then text.
  @Test(
    arguments: [
      (0.5, 0.5, 0.5, .protobuf), (0.5, 0.5, 0.4, .protobuf), (0.5, 0.4, 0.5, .protobuf),
      (0.1, 0, 0, .protobuf), (0.4, 0.5, 0.4, .openMetrics), (0.4, 0.5, 0.5, .openMetrics),
      (0, 0.5, 0.5, .openMetrics), (0.4, 0.4, 0.5, .plain), (0, 0, 0, .plain),
    ] as [(Double, Double, Double, MetricsFormat)])
  func whatIsWantedAsMuch(protobuf: Double, open: Double, plain: Double, format: MetricsFormat) {
    let accept =
      "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;"
      + "q=\(protobuf),application/openmetrics-text;q=\(open),text/plain;q=\(plain)"
    #expect(MetricsFormat(accept: accept) == format)
  }

  /// Who asks for it as Prometheus does, and as much as for anything else, gets it.
  @Test(
    arguments: [
      (
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
          + "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true
      ),
      ("application/vnd.google.protobuf", false),
      ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", false),
      (
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.3,text/plain",
        false
      ),
    ])
  func whoAsksForItGetsIt(_ accept: String, _ isProtobuf: Bool) async throws {
    #expect((MetricsFormat(accept: accept) == .protobuf) == isProtobuf)
    let source = try sampleSource()
    let answer = try await withServer(source) { address in
      try await exchange(
        address,
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r\nConnection: close\r\n\r\n")
    }
    #expect(
      answer.header("Content-Type")?.hasPrefix("application/vnd.google.protobuf; proto=io.") == isProtobuf)
  }
}

/// A protobuf message, read by its wire format alone.
struct Fields {
  enum Value {
    case number(UInt64)
    case bytes([UInt8])
  }

  private(set) var items: [(field: Int, value: Value)] = []

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      switch tag & 7 {
      case 0: items.append((Int(tag >> 3), .number(try Self.varint(&rest))))
      case 1:
        let bits = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        items.append((Int(tag >> 3), .number(bits)))
        rest = rest.dropFirst(8)
      default: items.append((Int(tag >> 3), .bytes(try Self.piece(&rest))))
      }
    }
  }

  static func stream(_ bytes: [UInt8]) throws -> [Fields] {
    var rest = bytes[...]
    var messages: [Fields] = []
    while !rest.isEmpty { messages.append(try Fields(try piece(&rest))) }
    return messages
  }

  func all(_ field: Int) throws -> [Fields] {
    try items.compactMap { item in
      if case .bytes(let bytes) = item.value, item.field == field { try Fields(bytes) } else { nil }
    }
  }

  func text(_ field: Int) -> String? {
    for item in items where item.field == field {
      if case .bytes(let bytes) = item.value { return String(decoding: bytes, as: UTF8.self) }
    }
    return nil
  }

  private func numbers(_ field: Int) -> [UInt64] {
    items.compactMap { item in
      if case .number(let number) = item.value, item.field == field { number } else { nil }
    }
  }

  func number(_ field: Int) -> UInt64? { numbers(field).first }

  func signed(_ field: Int) -> [Int64] {
    numbers(field).map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while true {
      let next = rest.popFirst()
      let byte = try #require(next)
      value |= UInt64(byte & 0x7f) << shift
      shift += 7
      if byte < 0x80 { return value }
    }
  }

  private static func piece(_ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
    let count = Int(try varint(&rest))
    try #require(rest.count >= count)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
