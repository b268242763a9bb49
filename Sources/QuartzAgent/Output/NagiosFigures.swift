// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One figure of a plugin's performance data (Monitoring Plugins Development Guidelines, "Performance data"):
/// `'label'=value[UOM];[warn];[crit];[min];[max]`.
struct NagiosFigure: Equatable {
  var label: String
  var value: String
  /// `s`, `%`, `B`, or nothing for a plain number.
  var unit: String
  var warn: String?
  var critical: String?
  var minimum: String?
  var maximum: String?
  /// Where there is no room for all, those with a lower one stay.
  var rank: Int

  /// - Parameter check: its name, where there are several.
  func text(of check: String? = nil) -> String {
    let label = (check.map { $0 + "::" } ?? "") + label
    let parts = [value + unit, warn, critical, minimum, maximum].map { $0 ?? "" }
    let kept = parts.lastIndex { !$0.isEmpty }.map { parts[...$0] } ?? []
    return quotedLabel(label) + "=" + kept.joined(separator: ";")
  }

  private func quotedLabel(_ label: String) -> String {
    // An equals sign ends a label for those who do not mind the quotes.
    let safe = harmless(label).replacing("=", with: "_")
    return "'" + safe.replacing("'", with: "''") + "'"
  }

  /// Measured values, with the thresholds of the check for them.
  static func all(of result: CheckResult, _ check: MonitoringCheck?) -> [NagiosFigure] {
    let limits = check?.responseTime ?? Thresholds()
    var figures: [NagiosFigure] = []
    if let time = result.responseTime {
      figures.append(.time("response_time", time, limits, rank: 0))
    }
    if let days = result.tls?.daysLeft(at: result.attempts.last?.startedAt ?? result.startedAt) {
      let limits = check?.certificateLimits ?? Thresholds()
      figures.append(
        NagiosFigure(
          label: "certificate_days", value: plain(days), unit: "", warn: limits.warn.map(daysAtLeast),
          critical: limits.fail.map(daysAtLeast), rank: 1))
    }
    if let ping = result.ping { figures += Self.all(of: ping, check) }
    let timings = result.timings
    let parts = [
      ("dns", timings.dns), ("connect", timings.connect), ("starttls", timings.startTLS),
      ("tls", timings.tls),
      ("first_byte", timings.firstByte), ("transfer", timings.transfer), ("total", timings.total),
    ]
    return figures + parts.compactMap { name, span in span.map { .time(name, $0, rank: 3) } }
  }

  private static func all(of ping: PingFacts, _ check: MonitoringCheck?) -> [NagiosFigure] {
    var (lost, trips) = (Thresholds<Double>(), Thresholds<Duration>())
    if case .ping(let settings) = check?.kind { (lost, trips) = (settings.loss, settings.rtt) }
    let loss = NagiosFigure(
      label: "loss", value: plain(ping.loss), unit: "%", warn: lost.warn.map(plain),
      critical: lost.fail.map(plain), minimum: "0", maximum: "100", rank: 1)
    let spans = [
      ("rtt_min", ping.minimum), ("rtt_max", ping.maximum), ("jitter", ping.jitter),
    ]
    return [loss] + (ping.average.map { [.time("rtt_avg", $0, trips, rank: 2)] } ?? [])
      + spans.compactMap { name, span in span.map { .time(name, $0, rank: 3) } }
  }

  private static func time(
    _ label: String, _ span: Duration, _ limits: Thresholds<Duration> = Thresholds(), rank: Int
  ) -> NagiosFigure {
    NagiosFigure(
      label: label, value: plain(span.seconds), unit: "s", warn: limits.warn.map { plain($0.seconds) },
      critical: limits.fail.map { plain($0.seconds) }, minimum: "0", rank: rank)
  }

  /// A range that alerts below: `21:`.
  private static func daysAtLeast(_ limit: Duration) -> String { plain(limit.seconds / 86_400) + ":" }
}

/// Up to six decimals, no exponent, no zeros at the end: `0.0421`.
private func plain(_ value: Double) -> String {
  guard value.isFinite, abs(value) < 1e9 else { return "U" }
  let millionths = Int64((value * 1_000_000).rounded())
  var text = padded(Int64(millionths.magnitude % 1_000_000), 6)
  while text.last == "0" { text.removeLast() }
  return (millionths < 0 ? "-" : "") + "\(millionths.magnitude / 1_000_000)"
    + (text.isEmpty ? "" : "." + text)
}

/// One line without the sign that begins performance data.
func harmless(_ text: String) -> String {
  text.printable(maxBytes: 1024).replacing("|", with: "¦")
}

extension TLSFacts {
  /// Days with their fraction until the first end of validity on the path of trust, or of the leaf without a path; whole
  /// days where the end is not known.
  fileprivate func daysLeft(at time: Timestamp) -> Double? {
    let end = pathDaysRemaining == nil ? notAfter : pathNotAfter
    guard let whole = pathDaysRemaining ?? daysRemaining else { return nil }
    return end.map { time.duration(to: $0).seconds / 86_400 } ?? Double(whole)
  }
}

extension MonitoringCheck {
  fileprivate var certificateLimits: Thresholds<Duration> {
    switch kind {
    case .http(let http): http.expect.certificateDays
    case .tcp(let tcp): tcp.certificate
    case .tls(let tls): tls.certificate
    case .dns, .ping, .heartbeat: Thresholds()
    }
  }
}
