// SPDX-License-Identifier: MIT

import Basics

extension CheckJudge {
  mutating func dns() -> DNSSettings? {
    let transport = choice(definition.transport, ["transport"], DNSTransport.self) ?? .udp
    var server = definition.server.flatMap { nameServer($0, ["server"], defaultPort: transport.defaultPort) }
    if definition.server == nil, transport == .udp || transport == .tcp {
      // Who names a resolver means this question, too. What is wrong with it is said where all checks have it.
      server = definition.resolver.flatMap { Endpoint($0, defaultPort: transport.defaultPort) }
    }
    if definition.server == nil, transport == .dot || transport == .doh {
      problem(
        ["server"], "server is missing", hint: "transport \(transport.rawValue) needs one, such as 9.9.9.9")
    }
    if definition.server == nil, server == nil, definition.addresses == AddressScope.each.rawValue {
      problem(
        ["addresses"], "addresses each has no effect without server",
        hint: "the machine's own resolvers are asked as they are configured")
    }
    let name = queryName()
    let type = queryType()
    let recordClass = choice(definition.queryClass?.uppercased(), ["query", "class"], DNSClass.self) ?? .in
    let tls = tlsOptions()
    if hasTLSOptions, transport == .udp || transport == .tcp {
      problem(
        ["tls"], "tls has no effect with transport \(transport.rawValue)",
        hint: "use dot or doh, or leave it out")
    }
    let expect = dnsExpectations(type: type)
    guard let name else { return nil }
    var dns = definition.dns
    (dns.server, dns.transport, dns.name, dns.recordType) = (server, transport, name, type)
    (dns.recordClass, dns.tls, dns.expect) = (recordClass, tls, expect)
    return dns
  }

  /// `host`, `host:port`, a bare IPv6 address, or one in brackets with a port.
  mutating func nameServer(_ text: String, _ path: [String], defaultPort: UInt16) -> Endpoint? {
    if let endpoint = Endpoint(text, defaultPort: defaultPort) {
      return asciiHost(endpoint.host, path).map { Endpoint(host: $0, port: endpoint.port) }
    }
    let found = text.withoutURLSecrets.shown(maxBytes: 80)
    if hasZone(text) {
      problem(
        path, "\(CheckProblem.keyText(path)) has a zone, found \"\(found)\", and zones are not supported",
        hint: zoneHint)
      return nil
    }
    problem(
      path, "\(CheckProblem.keyText(path)) must be host or host:port, found \"\(found)\"",
      hint: "such as 192.0.2.53, ns1.example:5353 or [2001:db8::53]:53")
    return nil
  }

  private mutating func queryName() -> String? {
    guard let text = definition.queryName else {
      problem(["query", "name"], "query.name is missing", hint: "such as example.com")
      return nil
    }
    guard let name = asciiName(text, ["query", "name"]) else { return nil }
    if let words = dnsNameProblem(name) {
      problem(["query", "name"], "query.name \(words), found \"\(name.shown(maxBytes: 80))\"")
      return nil
    }
    return name
  }

  private mutating func queryType() -> String {
    let type = (definition.queryType ?? "A").uppercased()
    guard !DNSSettings.recordTypes.contains(type), !isGenericType(type) else { return type }
    problem(
      ["query", "type"],
      "query.type must be one of \(DNSSettings.recordTypes.joined(separator: ", ")), or TYPE and a number, "
        + "found \"\(type.shown(maxBytes: 40))\"",
      hint: unaskableTypes[type].map { "\($0) is a question that servers refuse" } ?? unaskableHint(type))
    return type
  }

  /// For `TYPE` and a number that no query may have; `nil` for other words.
  private func unaskableHint(_ type: String) -> String? {
    guard type.hasPrefix("TYPE"), let number = UInt16(type.dropFirst(4)) else { return nil }
    return String(number) == type.dropFirst(4)
      ? "TYPE\(number) is no type of a record in a zone" : "write TYPE\(number)"
  }

  private mutating func dnsExpectations(type: String) -> DNSExpectations {
    let codes = rcodes()
    var expect = definition.dns.expect
    expect.rcodes = codes
    expect.answersAny = answers(definition.expect.answersAny, "any", type: type, rcodes: codes)
    expect.answersAll = answers(definition.expect.answersAll, "all", type: type, rcodes: codes)
    expect.answersExact = answers(definition.expect.answersExact, "exact", type: type, rcodes: codes)
    expect.answersNone = answers(definition.expect.answersNone, "none", type: type, rcodes: nil)
    expect.count = condition(definition.expect.count, ["expect", "count"], numeric: true)
    expect.ttl = condition(definition.expect.ttl, ["expect", "ttl"], numeric: true)
    return expect
  }

  private mutating func rcodes() -> [String] {
    guard let list = definition.expect.rcodes else { return ["NOERROR"] }
    if list.isEmpty { problem(["expect", "rcode"], "expect.rcode is empty") }
    for (index, code) in list.enumerated() where !DNSSettings.responseCodes.contains(code.uppercased()) {
      let path = ["expect", "rcode", String(index)]
      problem(
        path,
        "\(CheckProblem.keyText(path)) must be one of \(DNSSettings.responseCodes.joined(separator: ", ")), "
          + "found \"\(code.shown(maxBytes: 40))\"")
    }
    return list.map { $0.uppercased() }
  }

  /// - Parameter rcodes: the codes expected, where the list wants answers; nil where none is as good.
  private mutating func answers(
    _ list: [String]?, _ key: String, type: String, rcodes: [String]?
  ) -> [Condition] {
    guard let list else { return [] }
    let path = ["expect", "answers", key]
    if list.isEmpty { problem(path, "expect.answers.\(key) is empty") }
    if list.count > CheckLimits.answers {
      problem(
        path, "expect.answers.\(key) has \(list.count) entries, at most \(CheckLimits.answers) are allowed")
    }
    if !list.isEmpty, let rcodes, !rcodes.contains("NOERROR") {
      problem(path, "expect.answers.\(key) can never hold: expect.rcode leaves out NOERROR")
    }
    return list.enumerated().map { index, text in answer(text, type: type, path: path + [String(index)]) }
  }

  /// Addresses are compared as text with what the probe prints, so they are brought to its form here.
  private mutating func answer(_ text: String, type: String, path: [String]) -> Condition {
    let key = CheckProblem.keyText(path)
    if text.isEmpty { problem(path, "\(key) is empty") }
    let condition = Condition(parsing: text)
    if misspelling(text, path) { return condition }
    switch condition.comparison {
    case .equal: break
    case .matches:
      pattern(condition.operand, path)
      return condition
    default:
      problem(path, "\(key) must be a literal or ~ and a pattern, found \"\(text.shown(maxBytes: 60))\"")
      return condition
    }
    checkText(text, path, maxBytes: 4096)
    guard type == "A" || type == "AAAA", !text.isEmpty else { return condition }
    let version = type == "A" ? 4 : 6
    guard let address = IPAddress(text), address.version == version else {
      problem(path, "\(key) must be an IPv\(version) address, found \"\(text.shown(maxBytes: 80))\"")
      return condition
    }
    return Condition(.equal, address.description)
  }
}

extension DNSSettings {
  /// The record types a query may ask for by name; every other as TYPE and its number (RFC 3597, section 5).
  package static let recordTypes = [
    "A", "AAAA", "AFSDB", "CAA", "CDNSKEY", "CDS", "CERT", "CNAME", "CSYNC", "DHCID", "DNAME", "DNSKEY", "DS",
    "EUI48", "EUI64", "HINFO", "HTTPS", "KX", "LOC", "MX", "NAPTR", "NS", "NSEC", "NSEC3", "NSEC3PARAM",
    "OPENPGPKEY", "PTR", "RP", "RRSIG", "SMIMEA", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI",
    "ZONEMD",
  ]
  /// The response codes a check may expect (the IANA registry of DNS RCODEs; those above 15 need EDNS, RFC 6891).
  package static let responseCodes = [
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET",
    "NOTAUTH", "NOTZONE", "DSOTYPENI", "BADVERS", "BADKEY", "BADTIME", "BADMODE", "BADNAME", "BADALG",
    "BADTRUNC", "BADCOOKIE",
  ]
}

/// `TYPE` and a number of 1 to 65535 without leading zeros. Zone transfers and ANY have no place in a probe.
private func isGenericType(_ text: String) -> Bool {
  guard text.hasPrefix("TYPE"), let number = UInt16(text.dropFirst(4)), String(number) == text.dropFirst(4)
  else {
    return false
  }
  return number > 0 && !(249...255).contains(number) && number != 41
}

/// Types of questions that are about more than the records of a name (RFC 1035, section 3.2.3).
private let unaskableTypes = [
  "ANY": "ANY", "AXFR": "AXFR", "IXFR": "IXFR", "TYPE255": "TYPE255 (ANY)", "TYPE252": "TYPE252 (AXFR)",
  "TYPE251": "TYPE251 (IXFR)",
]

/// Why this cannot be asked for: a name of 1 to 253 bytes in labels of 1 to 63, or the root. Labels may hold what zones
/// hold (underscores, asterisks, slashes), but nothing that would need escaping.
private func dnsNameProblem(_ text: String) -> String? {
  if text == "." { return nil }
  let name = text.hasSuffix(".") ? text.dropLast() : text[...]
  guard !name.isEmpty else { return "is empty" }
  guard name.utf8.count <= 253 else { return "is longer than 253 bytes" }
  for label in name.split(separator: ".", omittingEmptySubsequences: false) {
    guard (1...63).contains(label.utf8.count) else { return "has an empty or overlong label" }
    if label.utf8.contains(UInt8(ascii: "\\")) { return "has a backslash, and escapes are not supported" }
    guard label.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !unaskable.contains($0) }) else {
      return "has a character that needs escaping"
    }
  }
  return nil
}

private let unaskable = Array("\\\"();@$:?#".utf8)
