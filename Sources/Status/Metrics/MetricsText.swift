// SPDX-License-Identifier: MIT

import Basics
import History

/// How a scraper wants its metrics.
package enum MetricsFormat: Sendable {
  /// OpenMetrics text 1.0.0.
  case openMetrics
  /// Prometheus' text format 0.0.4.
  case plain
  /// Prometheus' protobuf format, which alone has native histograms.
  case protobuf

  /// Format that the Accept header prefers (RFC 9110 section 12.5.1). As with every exporter, a request that names neither
  /// OpenMetrics nor the protobuf format gets the text format; protobuf wins a tie, then OpenMetrics.
  package init(accept: String?) {
    var (open, plain, protobuf) = (0.0, 0.0, 0.0)
    for item in (accept ?? "").lowercased().split(separator: ",") {
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      switch parts.first {
      case "application/openmetrics-text": open = max(open, quality)
      case "text/plain": plain = max(plain, quality)
      case "application/vnd.google.protobuf"
      where parts.contains("proto=io.prometheus.client.metricfamily") && parts.contains("encoding=delimited"):
        protobuf = max(protobuf, quality)
      default: break
      }
    }
    self =
      protobuf > 0 && protobuf >= max(open, plain)
      ? .protobuf : open > 0 && open >= plain ? .openMetrics : .plain
  }
}

/// Writes families and samples, one after another, straight into bytes: ten thousand checks are a few megabytes.
struct MetricsText {
  enum Kind {
    case gauge, counter, info, histogram
    /// Quantiles alone, without sum and count.
    case summary
    /// Sum and count alone, without quantiles: a summary, too.
    case sums
  }

  let format: MetricsFormat
  private(set) var bytes: [UInt8] = []
  /// Of the protobuf format, while its samples come.
  private var open: MetricFamilyMessage?

  init(_ format: MetricsFormat) { self.format = format }

  /// Labels as they stand between the braces, made once for all samples of a check.
  struct Labels: Sendable {
    fileprivate var bytes: [UInt8] = []

    init(_ pairs: [(name: String, value: String)] = []) {
      for pair in pairs { add(pair.name, pair.value) }
    }

    mutating func add(_ name: String, _ value: String) {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
      bytes += name.utf8
      bytes += "=\"".utf8
      for byte in value.utf8 {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += "\\n".utf8
        default: bytes.append(byte)
        }
      }
      bytes.append(UInt8(ascii: "\""))
    }

    /// Names and values as they were before they were escaped.
    var pairs: [(name: [UInt8], value: [UInt8])] {
      var pairs: [(name: [UInt8], value: [UInt8])] = []
      var (name, value): ([UInt8], [UInt8]) = ([], [])
      var (isValue, isEscaped) = (false, false)
      for byte in bytes {
        switch (isValue, byte) {
        case (false, UInt8(ascii: "\"")): isValue = true
        case (false, UInt8(ascii: "=")), (false, UInt8(ascii: ",")): break
        case (false, _): name.append(byte)
        case (true, _) where isEscaped:
          value.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
          isEscaped = false
        case (true, UInt8(ascii: "\\")): isEscaped = true
        case (true, UInt8(ascii: "\"")):
          pairs.append((name, value))
          (name, value, isValue) = ([], [], false)
        default: value.append(byte)
        }
      }
      return pairs
    }

    func with(_ name: String, _ value: String) -> Labels {
      var labels = self
      labels.add(name, value)
      return labels
    }
  }

  /// - Parameter name: without `_total` or `_info`; the plain and the protobuf format have them in the family's name too.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    var (name, type) = (name, "gauge")
    switch kind {
    case .gauge: break
    case .histogram: type = "histogram"
    case .summary, .sums: type = "summary"
    case .counter:
      type = "counter"
      if format != .openMetrics { name += "_total" }
    case .info:
      if format != .openMetrics { name += "_info" } else { type = "info" }
    }
    if format == .protobuf {
      close()
      open = MetricFamilyMessage(name, kind, help)
      return
    }
    write("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n")
  }

  mutating func sample(_ name: String, _ labels: Labels, _ value: Double) {
    if format == .protobuf { return open?.add(labels, value) ?? () }
    begin(name, labels)
    number(value)
  }

  mutating func sample(_ name: String, _ labels: Labels, _ value: some BinaryInteger) {
    if format == .protobuf { return open?.add(labels, Double(value)) ?? () }
    begin(name, labels)
    write("\(value)\n")
  }

  /// Of a family of `sums`.
  mutating func sum(_ name: String, _ labels: Labels, seconds: Double, count: Int64) {
    if format == .protobuf { return open?.add(labels, sum: seconds, count: count) ?? () }
    sample(name + "_sum", labels, seconds)
    sample(name + "_count", labels, count)
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
    guard let value else { return }
    family(name, .gauge, help)
    sample(name, Labels(), value)
  }

  mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
    family(name, .counter, help)
    sample(name + "_total", Labels(), value)
  }

  /// Nothing comes after it.
  mutating func end() {
    close()
    if format == .openMetrics { write("# EOF\n") }
  }

  /// Of the protobuf format, which alone has both kinds of buckets in one.
  mutating func histogram(_ labels: Labels, _ times: LatencyHistogram) { open?.add(labels, times) }

  private mutating func close() {
    open?.write(to: &bytes)
    open = nil
  }

  private mutating func begin(_ name: String, _ labels: Labels) {
    write(name)
    if !labels.bytes.isEmpty {
      bytes.append(UInt8(ascii: "{"))
      bytes += labels.bytes
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: " "))
  }

  private mutating func number(_ value: Double) {
    write(value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))\n" : "\(value)\n")
  }

  private mutating func write(_ text: String) { bytes += text.utf8 }
}
