// SPDX-License-Identifier: MIT

extension CheckJudge {
  mutating func tcp() -> TCPSettings? {
    let host = host()
    let port = port(default: nil)
    guard let host, let port else { return nil }
    return TCPSettings(host: host, port: port)
  }

  mutating func tls() -> TLSSettings? {
    let host = host()
    let port = port(default: 443)
    let options = tlsOptions()
    certificateThresholds()
    guard let host, let port else { return nil }
    return TLSSettings(host: host, port: port, options: options, certificate: certificateDefaults())
  }

  mutating func ping() -> PingSettings? {
    let host = host()
    let count = definition.count ?? 4
    let packetInterval = definition.packetInterval ?? .milliseconds(200)
    let inBounds = [
      ranged(count, ["count"], CheckLimits.packets),
      ranged(packetInterval, ["packet_interval"], CheckLimits.packetInterval),
    ]
    ranged(definition.size, ["size"], CheckLimits.packetSize)
    if inBounds == [true, true], packetInterval * (count - 1) >= timeout {
      let needed = (packetInterval * (count - 1)).text
      problem(
        [definition.packetInterval == nil ? "count" : "packet_interval"],
        "\(count) packets \(packetInterval.text) apart take \(needed), found a timeout of \(timeout.text)",
        hint: "raise timeout, or send fewer packets closer together")
    }
    lossThresholds()
    thresholds(
      definition.expectRTT, ["expect", "rtt"], within: .microseconds(1)...CheckLimits.responseTime.upperBound,
      atMost: timeout)
    guard let host else { return nil }
    return PingSettings(
      host: host, count: count, packetInterval: packetInterval, size: definition.size ?? 56,
      loss: definition.expectLoss, rtt: definition.expectRTT)
  }

  private mutating func lossThresholds() {
    let value = definition.expectLoss
    let path = ["expect", "loss"]
    for (name, percent) in [("warn", value.warn), ("fail", value.fail)] {
      guard let percent else { continue }
      let wrong = CheckProblem.bounds(path + [name], percent, in: CheckLimits.loss) { percentText($0) }
      if let wrong { problem(wrong.path, wrong.message) }
    }
    if let warn = value.warn, let fail = value.fail, warn > fail {
      problem(
        path + ["warn"],
        "expect.loss.warn must be at most expect.loss.fail (\(percentText(fail))), found \(percentText(warn))"
      )
    }
  }
}

private func percentText(_ value: Double) -> String {
  value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))%" : "\(value)%"
}

// dns
extension CheckJudge {
  mutating func dns() -> DNSSettings? {
    let server = definition.server.flatMap { dnsServer($0) }
    let name = queryName()
    let type = (definition.queryType ?? "A").uppercased()
    if !DNSSettings.recordTypes.contains(type) {
      problem(
        ["query", "type"],
        "query.type must be one of \(DNSSettings.recordTypes.joined(separator: ", ")), "
          + "found \"\(type.printable(maxBytes: 40))\"")
    }
    let codes = rcodes()
    let answers = answers(type: type, rcodes: codes)
    guard let name else { return nil }
    return DNSSettings(
      server: server, name: name, recordType: type, recursion: definition.queryRecursion ?? true,
      rcodes: codes,
      answersAny: answers)
  }

  /// `host`, `host:port`, a bare IPv6 address, or one in brackets with a port.
  private mutating func dnsServer(_ text: String) -> Endpoint? {
    if let endpoint = Endpoint(text, defaultPort: 53) {
      return checkHost(endpoint.host, ["server"]) ? endpoint : nil
    }
    problem(
      ["server"], "server must be host or host:port, found \"\(text.printable(maxBytes: 80))\"",
      hint: "such as 192.0.2.53, ns1.example:5353 or [2001:db8::53]:53")
    return nil
  }

  private mutating func queryName() -> String? {
    guard let name = definition.queryName else {
      problem(["query", "name"], "query.name is missing", hint: "such as example.com")
      return nil
    }
    if let words = dnsNameProblem(name) {
      problem(["query", "name"], "query.name \(words), found \"\(name.printable(maxBytes: 80))\"")
      return nil
    }
    return name
  }

  private mutating func rcodes() -> [String] {
    guard let list = definition.expectRcode else { return ["NOERROR"] }
    if list.isEmpty { problem(["expect", "rcode"], "expect.rcode is empty") }
    for (index, code) in list.enumerated() where !DNSSettings.responseCodes.contains(code.uppercased()) {
      let path = ["expect", "rcode", String(index)]
      problem(
        path,
        "\(CheckProblem.keyText(path)) must be one of \(DNSSettings.responseCodes.joined(separator: ", ")), "
          + "found \"\(code.printable(maxBytes: 40))\"")
    }
    return list.map { $0.uppercased() }
  }

  private mutating func answers(type: String, rcodes: [String]) -> [String] {
    let list = definition.expectAnswersAny ?? []
    let path = ["expect", "answers", "any"]
    if list.count > CheckLimits.answers {
      problem(
        path, "expect.answers.any has \(list.count) entries, at most \(CheckLimits.answers) are allowed")
    }
    if !list.isEmpty, !rcodes.contains("NOERROR") {
      problem(path, "expect.answers.any can never hold: expect.rcode leaves out NOERROR")
    }
    return list.enumerated().map { index, text in
      canonicalAnswer(text, type: type, path: path + [String(index)])
    }
  }

  /// Addresses are compared as text with what the probe prints, so they are brought to its form here.
  private mutating func canonicalAnswer(_ text: String, type: String, path: [String]) -> String {
    let key = CheckProblem.keyText(path)
    if text.isEmpty { problem(path, "\(key) is empty") }
    if conditionMarks.contains(where: text.hasPrefix) {
      problem(
        path, "\(key) must be a literal, found a condition",
        hint: "conditions are not supported by this version")
      return text
    }
    checkText(text, path, maxBytes: 4096)
    guard type == "A" || type == "AAAA", !text.isEmpty else { return text }
    let version = type == "A" ? 4 : 6
    guard let address = IPAddress(text), address.version == version else {
      problem(path, "\(key) must be an IPv\(version) address, found \"\(text.printable(maxBytes: 80))\"")
      return text
    }
    return address.description
  }
}

/// What later versions read as an operator; taken as a literal today, it would change its meaning tomorrow.
private let conditionMarks = ["~ ", "!~ ", "!= ", "< ", "<= ", "> ", ">= "]

extension DNSSettings {
  /// The record types a query may ask for.
  package static let recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"]
  /// The response codes a check may expect (RFC 1035, section 4.1.1, and RFC 2136, section 2.2).
  package static let responseCodes = [
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET",
    "NOTAUTH",
    "NOTZONE",
  ]
}

/// Why this cannot be asked for: a name of 1 to 253 bytes in labels of 1 to 63, or the root. Labels may hold what zones
/// hold (underscores, asterisks, slashes), but nothing that would need escaping.
private func dnsNameProblem(_ text: String) -> String? {
  if text == "." { return nil }
  let name = text.hasSuffix(".") ? text.dropLast() : text[...]
  guard !name.isEmpty else { return "is empty" }
  guard name.utf8.count <= 253 else { return "is longer than 253 bytes" }
  for label in name.split(separator: ".", omittingEmptySubsequences: false) {
    guard (1...63).contains(label.utf8.count) else { return "has an empty or overlong label" }
    guard label.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !unaskable.contains($0) }) else {
      return "has a character that needs escaping"
    }
  }
  return nil
}

private let unaskable = Array("\\\"();@$:?#".utf8)

extension Endpoint {
  /// Parses `host`, `host:port`, a bare IPv6 address and `[address]:port`. The host is not judged. Nil for a port that
  /// is none, for unclosed brackets and, without a default, for a missing port.
  package init?(_ text: String, defaultPort: UInt16?) {
    var host = text[...]
    var digits: Substring?
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<close]
      guard IPAddress(host)?.version == 6 else { return nil }
      let rest = text[text.index(after: close)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      digits = rest.isEmpty ? nil : rest.dropFirst()
    } else if IPAddress(text) == nil, let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      digits = text[text.index(after: colon)...]
    }
    guard !host.isEmpty else { return nil }
    if let digits {
      guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let port = UInt16(digits), port > 0
      else { return nil }
      self.init(host: String(host), port: port)
    } else {
      guard let defaultPort else { return nil }
      self.init(host: String(host), port: defaultPort)
    }
  }
}
