// SPDX-License-Identifier: MIT

import Basics
import History

/// A family of Prometheus' protobuf format while its samples come (prometheus/client_model, metrics.proto).
struct MetricFamilyMessage {
  private let kind: MetricsText.Kind
  private var message = ProtobufMessage()

  init(_ name: String, _ kind: MetricsText.Kind, _ help: String) {
    self.kind = kind
    message.text(1, name.utf8)
    message.text(2, help.utf8)
    message.integer(3, Self.type(kind))
  }

  /// A summary without sum and count is none there: its quantiles are samples of no type.
  private static func type(_ kind: MetricsText.Kind) -> UInt64 {
    switch kind {
    case .counter: 0
    case .gauge, .info: 1
    case .sums: 2
    case .summary: 3
    case .histogram: 4
    }
  }

  mutating func add(_ labels: MetricsText.Labels, _ value: Double) {
    var number = ProtobufMessage()
    number.double(1, value)
    var metric = ProtobufMessage()
    write(labels, to: &metric)
    switch kind {
    case .gauge, .info: metric.message(2, number)
    case .counter: metric.message(3, number)
    default: metric.message(5, number)
    }
    message.message(4, metric)
  }

  mutating func add(_ labels: MetricsText.Labels, sum: Double, count: Int64) {
    var summary = ProtobufMessage()
    summary.integer(1, UInt64(clamping: count))
    summary.double(2, sum)
    var metric = ProtobufMessage()
    write(labels, to: &metric)
    metric.message(4, summary)
    message.message(4, metric)
  }

  /// With its fixed bounds and, in the same message, as a native one.
  mutating func add(_ labels: MetricsText.Labels, _ times: LatencyHistogram) {
    var histogram = ProtobufMessage()
    histogram.integer(1, UInt64(times.count))
    histogram.double(2, Double(times.sum) / 1_000_000)
    var sum: Int64 = 0
    for (place, count) in times.counts.enumerated() {
      sum += count
      var bucket = ProtobufMessage()
      bucket.integer(1, UInt64(sum))
      let bounds = LatencyHistogram.bounds
      bucket.double(2, place < bounds.count ? Double(bounds[place]) / 1_000_000 : .infinity)
      histogram.message(3, bucket)
    }
    histogram.signed(5, Int64(LatencyHistogram.schema))
    // Half of the shortest time that is told from none.
    histogram.double(6, 0.000_000_5)
    histogram.integer(7, UInt64(times.zeros))
    Self.writeFine(times, to: &histogram)
    var metric = ProtobufMessage()
    write(labels, to: &metric)
    metric.message(7, histogram)
    message.message(4, metric)
  }

  /// Spans of buckets that hold something, and each count as the difference to the one before it.
  private static func writeFine(_ times: LatencyHistogram, to histogram: inout ProtobufMessage) {
    var spans: [(offset: Int64, length: UInt64)] = []
    var deltas: [Int64] = []
    var (next, last): (Int?, Int64) = (nil, 0)
    for (place, count) in times.fineCounts.enumerated() where count > 0 {
      let number = place + LatencyHistogram.fine.lowerBound
      if number == next {
        spans[spans.count - 1].length += 1
      } else {
        // The first from 0, the others from the end of the span before.
        spans.append((Int64(number - (next ?? 0)), 1))
      }
      deltas.append(count - last)
      (next, last) = (number + 1, count)
    }
    for span in spans {
      var message = ProtobufMessage()
      message.signed(1, span.offset)
      message.integer(2, span.length)
      histogram.message(12, message)
    }
    for delta in deltas { histogram.signed(13, delta) }
  }

  private func write(_ labels: MetricsText.Labels, to metric: inout ProtobufMessage) {
    for (name, value) in labels.pairs {
      var pair = ProtobufMessage()
      pair.text(1, name)
      pair.text(2, value)
      metric.message(1, pair)
    }
  }

  /// Behind its length; nothing where no sample came.
  func write(to bytes: inout [UInt8]) {
    var stream = ProtobufMessage()
    stream.delimited(message)
    bytes += stream.bytes
  }
}
