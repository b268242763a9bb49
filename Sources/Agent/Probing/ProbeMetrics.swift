// SPDX-License-Identifier: MIT

import Basics
import Import
import Monitoring
import QuartzAPI

/// A finding in the metrics of blackbox_exporter, and why the probe failed besides. The exporter's metrics of a probe
/// that failed early are here too: zero where nothing was measured, and nothing of TLS without an answer.
struct ProbeMetrics {
  private let finding: ProbeFinding
  private let result: CheckResult?
  private(set) var exposition = MetricLines()

  static func text(_ finding: ProbeFinding) -> String {
    var metrics = ProbeMetrics(finding)
    metrics.all()
    return metrics.exposition.text
  }

  private init(_ finding: ProbeFinding) { (self.finding, result) = (finding, finding.result) }

  private mutating func all() {
    exposition.gauge("probe_success", "Whether the probe succeeded", finding.isUp ? 1 : 0)
    exposition.gauge("probe_duration_seconds", "Duration of the probe", finding.elapsed.seconds)
    if (finding.module.prober != .tcp || hasPort) && !finding.module.skipsResolving { address() }
    switch finding.module.prober {
    case .http: http()
    case .tcp: tcp()
    case .dns: dns()
    case .icmp: icmp()
    default: break
    }
    guard let failure = finding.failure else { return }
    exposition.family("probe_failure_info", "Why the probe failed, in the words of docs/results.md")
    exposition.sample(
      "probe_failure_info",
      [("reason", failure.reason.rawValue), ("phase", failure.phase?.rawValue ?? "")], 1)
  }

  /// The exporter resolves nothing where it is not told the port.
  private var hasPort: Bool { result != nil || finding.reason != .unsupported }

  private mutating func address() {
    // The first of a redirect's ways is the target's own.
    let dns = result.flatMap { $0.hops.first?.timings.dns ?? $0.timings.dns }
    exposition.gauge("probe_dns_lookup_time_seconds", "Duration of the name's resolution", seconds(dns))
    exposition.gauge("probe_ip_protocol", "4 or 6, 0 without an address", Double(first?.version ?? 0))
    let hash = (first?.bytes ?? []).reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    exposition.gauge(
      "probe_ip_addr_hash", "FNV-1a of the address, to see it change", first == nil ? 0 : Double(hash))
  }

  /// The address that was dialled first.
  private var first: IPAddress? {
    guard let result else { return nil }
    // A proxy is dialled instead: of a target that is an address it is known.
    if finding.module.hasProxy { return finding.literal }
    return result.hops.first?.address.flatMap { Endpoint($0, defaultPort: nil) }.flatMap {
      IPAddress($0.host)
    }
      ?? result.peer?.address
  }

  private func seconds(_ duration: Duration?) -> Double { duration?.seconds ?? 0 }

  private mutating func regex(_ failed: Bool) {
    exposition.gauge(
      "probe_failed_due_to_regex", "Whether a pattern made the probe fail", failed ? 1 : 0)
  }

  // MARK: http

  private mutating func http() {
    let answer = HTTPAnswerFacts(finding)
    // Without an address the exporter knows of no other part.
    exposition.phases(
      "probe_http_duration_seconds", "Duration of the requests' parts, redirects included",
      phases(answer.phases))
    regex(answer.failedByPattern)
    exposition.gauge(
      "probe_http_content_length", "Bytes of the body by its header, -1 where it says nothing",
      Double(answer.announced))
    exposition.gauge(
      "probe_http_uncompressed_body_length", "Bytes of the body, decoded", Double(answer.bodyBytes))
    exposition.gauge("probe_http_redirects", "Redirects that were asked for", Double(answer.redirects))
    exposition.gauge("probe_http_ssl", "Whether the last answer came over TLS", answer.isSecure ? 1 : 0)
    exposition.gauge("probe_http_status_code", "Status of the last answer", Double(answer.status))
    exposition.gauge("probe_http_version", "Version of the last answer", answer.version)
    if let changed = answer.changed {
      exposition.gauge(
        "probe_http_last_modified_timestamp_seconds", "Last-Modified of the last answer",
        Double(changed.microseconds / 1_000_000))
    }
    if answer.isSecure, let tls = result?.tls { certificates(tls) }
  }

  private func phases(_ all: [(String, Double)]) -> [(String, Double)] {
    if finding.module.skipsResolving { return Array(all.dropFirst()) }
    return first == nil && !finding.module.hasProxy ? Array(all.prefix(1)) : all
  }

  // MARK: tcp

  private mutating func tcp() {
    // The exporter calls an end of the stream a pattern that did not match, and silence something else.
    let reason = result?.reason
    regex(result?.phase == .dialog && (reason == .dialog || reason == .connectionClosed))
    let isSecured = result?.phase.map { $0 == .dialog || $0 == .assertion } ?? finding.isUp
    if isSecured, let tls = result?.tls { certificates(tls) }
  }

  // MARK: dns

  private mutating func dns() {
    let timings = result?.timings
    exposition.phases(
      "probe_dns_duration_seconds", "Duration of the question's parts",
      [
        ("resolve", seconds(timings?.dns)), ("connect", seconds(timings?.connect) + seconds(timings?.tls)),
        ("request", seconds(timings?.firstByte)),
      ])
    let (facts, sections) = (result?.dns, result?.account?.sections)
    exposition.gauge("probe_dns_query_succeeded", "Whether there was an answer", facts == nil ? 0 : 1)
    exposition.gauge(
      "probe_dns_answer_rrs", "Records of the answer section", Double(sections?.answer.count ?? 0))
    exposition.gauge(
      "probe_dns_authority_rrs", "Records of the authority section", Double(sections?.authority.count ?? 0))
    exposition.gauge(
      "probe_dns_additional_rrs", "Records of the additional section", Double(sections?.additional.count ?? 0)
    )
    guard facts != nil, finding.module.asksForSerial else { return }
    let data = facts?.answers.last { $0.type == "SOA" }?.data.split(separator: " ").dropFirst(2).first
    exposition.gauge("probe_dns_serial", "Serial of the zone", data.flatMap { Double($0) } ?? 0)
  }

  // MARK: icmp

  private mutating func icmp() {
    exposition.phases(
      "probe_icmp_duration_seconds", "Duration of the ping's parts",
      [
        ("resolve", seconds(result?.timings.dns)), ("setup", 0), ("rtt", seconds(result?.ping?.average)),
      ])
    guard finding.isUp, let hops = result?.account?.hopsLeft else { return }
    exposition.gauge("probe_icmp_reply_hop_limit", "TTL or hop limit of the reply", Double(hops))
  }

  // MARK: TLS

  private mutating func certificates(_ tls: TLSFacts) {
    guard let leaf = tls.chain.first, let version = tls.version else { return }
    let earliest = tls.chain.map(\.notAfter.microseconds).min() ?? 0
    exposition.gauge(
      "probe_ssl_earliest_cert_expiry", "When the first certificate of the chain ends",
      Double(earliest / 1_000_000))
    // The exporter says the year 1 where there is no path of trust.
    let path = tls.verified ? tls.pathNotAfter.map { $0.microseconds / 1_000_000 } : nil
    exposition.gauge(
      "probe_ssl_last_chain_expiry_timestamp_seconds", "When the path of trust ends",
      Double(path ?? -62_135_596_800))
    let names = leaf.sans.filter { IPAddress($0) == nil && !$0.contains("@") && !$0.contains("://") }
    exposition.family("probe_ssl_last_chain_info", "The certificate that was shown")
    exposition.sample(
      "probe_ssl_last_chain_info",
      [
        ("fingerprint_sha256", leaf.sha256.lowercased()), ("issuer", leaf.issuer), ("subject", leaf.subject),
        ("subjectalternative", names.joined(separator: ",")),
      ], 1)
    exposition.family("probe_tls_version_info", "The version of TLS")
    exposition.sample(
      "probe_tls_version_info", [("version", version.replacing("TLSv", with: "TLS "))], 1)
  }
}

/// The last answer of an http probe, as the exporter counts.
private struct HTTPAnswerFacts {
  private let result: CheckResult?
  /// There is an answer, and it is the last request's.
  private let isAnswered: Bool
  /// Bytes of a body that the module has read.
  private let limit: Int?

  init(_ finding: ProbeFinding) {
    result = finding.result
    limit = finding.bodyLimit
    let before: [Phase] = [.prepare, .dns, .connect, .proxy, .tls, .starttls, .firstByte]
    let ended = result?.phase.map { before.contains($0) } ?? false
    isAnswered = result?.statusCode != nil && (!ended || result?.reason.isAboutRedirect == true)
  }

  var phases: [(String, Double)] {
    let hops = result.map { $0.hops.isEmpty ? [$0.timings] : $0.hops.map(\.timings) } ?? []
    func sum(_ part: (Timings) -> Duration?) -> Double { hops.reduce(0) { $0 + (part($1)?.seconds ?? 0) } }
    return [
      ("resolve", sum(\.dns)), ("connect", sum(\.connect)), ("tls", sum(\.tls)),
      ("processing", sum(\.firstByte)), ("transfer", sum(\.transfer)),
    ]
  }

  var status: Int { isAnswered ? result?.statusCode ?? 0 : 0 }
  var version: Double { isAnswered ? result?.httpVersion.flatMap { Double($0) } ?? 0 : 0 }
  var isSecure: Bool { isAnswered && result?.hops.last?.url.hasPrefix("https:") == true }
  var changed: Timestamp? { isAnswered ? header("last-modified").flatMap(HTTPDate.parse) : nil }

  private func header(_ name: String) -> String? {
    result?.account?.headers.last { $0.name.lowercased() == name }?.value
  }

  /// The last answer is a redirect that was not followed, or not to its end.
  private var leadsOn: Bool {
    let codes = [301, 302, 303, 307, 308]
    guard let location = result?.account?.locations.last, location != nil else { return false }
    return result?.statusCode.map { codes.contains($0) } ?? false
  }

  /// Also the one that was not followed.
  var redirects: Int { max(0, (result?.hops.count ?? 0) - 1) + (leadsOn ? 1 : 0) }

  /// Go's ContentLength: -1 where the body ends with the connection or comes in chunks.
  var announced: Int {
    guard isAnswered else { return 0 }
    if let length = header("content-length").flatMap({ Int($0) }) { return length }
    if status == 204 || status == 304 || result?.httpVersion == "2" && bodyBytes == 0 { return 0 }
    return -1
  }

  /// The body of a redirect is not read.
  var bodyBytes: Int {
    guard isAnswered, !leadsOn else { return 0 }
    return min(result?.account?.bodyBytes ?? 0, limit ?? .max)
  }

  /// The exporter looks at patterns once the status is as it should be.
  var failedByPattern: Bool {
    guard isAnswered, let result else { return false }
    if result.reason == .header || result.reason == .body { return true }
    let isStatusFine = result.assertions.contains { $0.what == "status" && $0.ok }
    return isStatusFine
      && result.assertions.contains { !$0.ok && ($0.what.hasPrefix("body") || $0.what.hasPrefix("header")) }
  }
}

/// Prometheus' text format, of gauges.
struct MetricLines {
  private(set) var text = ""

  mutating func family(_ name: String, _ words: String) {
    text += "# HELP \(name) \(words)\n# TYPE \(name) gauge\n"
  }

  mutating func sample(_ name: String, _ labels: [(name: String, value: String)] = [], _ value: Double) {
    let shown = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    let isWhole = value == value.rounded() && abs(value) < 1e15
    text += shown.isEmpty ? name : "\(name){\(shown)}"
    text += isWhole ? " \(Int64(value))\n" : " \(value)\n"
  }

  mutating func gauge(_ name: String, _ words: String, _ value: Double) {
    family(name, words)
    sample(name, [], value)
  }

  mutating func phases(_ name: String, _ words: String, _ values: [(String, Double)]) {
    family(name, words)
    for (phase, value) in values { sample(name, [("phase", phase)], value) }
  }

  private static func escaped(_ text: String) -> String {
    text.printable(maxBytes: 4096).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
