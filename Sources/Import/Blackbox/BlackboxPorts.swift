// SPDX-License-Identifier: MIT

import Basics

/// The settings of the tcp prober.
struct BlackboxTCP {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func check(of target: String) -> ImportedCheck? {
    var check = ImportedCheck(name: target, type: "tcp")
    let place = ForeignURL.place(target)
    check["host"] = .text(place.host)
    guard let port = place.port else { return nil }
    check["port"] = .number(port)
    let steps = section["query_response"]?.items ?? []
    let upgrade = steps.firstIndex { $0["starttls"]?.flag == true }
    if let upgrade {
      startTLS(steps, upgrade, &check)
    } else {
      talk(steps[...], &check)
      if section.flag("tls") == true, section["tls_config"] == nil { check["tls"] = .plain("true") }
    }
    // A map asks for TLS by itself.
    if upgrade != nil || section["tls"]?.flag == true { section.tls(of: &check) }
    section.list("without tls or starttls the exporter does not read it", "tls_config")
    section.family(of: &check)
    return check
  }

  /// Which protocol it is shows in what asks for TLS.
  private func startTLS(_ steps: [ForeignNode], _ upgrade: Int, _ check: inout ImportedCheck) {
    let sent = steps[..<upgrade].compactMap { $0["send"]?.text?.uppercased() }
    let last = sent.last ?? ""
    let name: String? =
      if steps[..<upgrade].contains(where: { $0["send"]?.bytes == Self.askOfPostgres }) {
        "postgres"
      } else if last.contains("AUTH TLS") {
        "ftp"
      } else if last.hasPrefix("STLS") {
        "pop3"
      } else if last.hasPrefix("STARTTLS") {
        "smtp"
      } else if last.contains(" STARTTLS") {
        "imap"
      } else {
        nil
      }
    guard let name else {
      section.list(
        "starttls is known of smtp, imap, pop3, ftp and postgres here", "query_response", change: .laxer)
      return
    }
    for step in steps[...upgrade] {
      if let pattern = step["expect"], !Self.isUsual(pattern.text ?? "") {
        section.ledger.list(pattern, "the greeting before STARTTLS is not compared", .laxer)
      }
      section.ledger.carry(step)
    }
    check["starttls"] = .plain(name)
    talk(steps[(upgrade + 1)...], &check)
  }

  /// Lines like these come from each server before it upgrades.
  private static let greetings = [
    "220 mx.example ESMTP ready", "250-mx.example", "250-STARTTLS", "250 STARTTLS",
    "220 2.0.0 Ready to start TLS", "* OK [CAPABILITY IMAP4rev1 STARTTLS] ready",
    "a OK Begin TLS negotiation now", ". OK Begin TLS", "+OK ready", "+OK Begin TLS negotiation",
    "220 ftp.example FTP ready", "234 AUTH TLS OK",
  ]

  private static func isUsual(_ pattern: String) -> Bool {
    guard let whole = GoPattern("(?:.*)(?:\(pattern))(?:.*)") else { return false }
    var budget = GoPattern.Budget()
    return greetings.contains { whole.match($0, &budget) != nil }
  }

  /// PostgreSQL's SSLRequest.
  private static let askOfPostgres: [UInt8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]

  private func talk(_ steps: ArraySlice<ForeignNode>, _ check: inout ImportedCheck) {
    for step in steps {
      let step = Section(step, section.ledger)
      if let expected = step.text("expect") { say("expect", "~ \(LinePattern.bounded(expected))", &check) }
      if let bytes = step.text("expect_bytes") { say("expect_hex", Base16.text(bytes.utf8), &check) }
      if let bytes = step.bytes("expect_bytes") { say("expect_hex", Base16.text(bytes), &check) }
      if let sent = step.text("send") {
        let text = step["expect"]?.text.map { Self.expanded(sent, by: $0) } ?? Self.escaped(sent)
        check.say(text + "\\n")
      }
      if let bytes = step.bytes("send") { say("send_hex", Base16.text(bytes + [0x0a]), &check) }
      step.carry("starttls")
      step.list("what is captured becomes no label here", "labels")
    }
  }

  private func say(_ key: String, _ text: String, _ check: inout ImportedCheck) {
    check.append("dialog", .map([(key, .text(text))]))
  }

  /// In the escapes of a dialog.
  static func escaped(_ text: String) -> String {
    var made = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": made.append(contentsOf: "\\\\".unicodeScalars)
      case "\r": made.append(contentsOf: "\\r".unicodeScalars)
      case "\n": made.append(contentsOf: "\\n".unicodeScalars)
      case "\t": made.append(contentsOf: "\\t".unicodeScalars)
      default: made.append(scalar)
      }
    }
    return String(made)
  }

  /// The same, with what the step's own pattern captured put in as Go's Expand does: a group that the pattern lacks is
  /// empty.
  static func expanded(_ text: String, by pattern: String) -> String {
    let groups = GoPattern(pattern)?.groups
    return GoPattern.expand(
      text, text: { escaped(String($0)) }, group: { isGroup($0, groups) ? "\\(\($0))" : "" })
  }

  private static func isGroup(_ name: Substring, _ groups: [ByteText?]?) -> Bool {
    guard let groups else { return true }
    if let number = Int(name) { return groups.indices.contains(number) }
    return groups.contains { $0 == ByteText(name) }
  }
}

/// The settings of the icmp prober, which sends one packet.
struct BlackboxICMP {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func check(of target: String) -> ImportedCheck {
    var check = ImportedCheck(name: target, type: "ping")
    // The exporter resolves it as it stands: with a port it is no host there either.
    let place = ForeignURL.place(target)
    check["host"] = .text(place.port == nil ? place.host : target)
    check["count"] = .plain("1")
    if let size = section.number("payload_size"), size > 0 {
      check["size"] = .number(min(size, 1472))
      if size > 1472 {
        section.ledger.list(section["payload_size"], "a packet has 1472 bytes at most", .changed)
      }
    }
    if section["dont_fragment"]?.flag == false { section.carry("dont_fragment") }
    section.list("packets are sent as the kernel makes them", "dont_fragment", "ttl", change: .changed)
    section.family(of: &check)
    return check
  }
}

/// The settings of the dns prober: the target is the server.
struct BlackboxDNS {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func check(of target: String) -> ImportedCheck? {
    var check = ImportedCheck(name: target, type: "dns")
    check["server"] = .text(target)
    guard let name = section.text("query_name") else { return nil }
    check["query.name"] = .text(name)
    let type = section.text("query_type") ?? "ANY"
    check["query.type"] = .text(type)
    if type.uppercased() == "ANY" {
      let why = "ANY is a question that servers refuse: name a query_type"
      section.ledger.list(section["query_type"] ?? section["query_name"], why)
    }
    if let word = section.text("query_class") { check["query.class"] = .text(word) }
    if section.flag("recursion_desired") == false { check["query.recursion"] = .plain("false") }
    transport(&check)
    let codes = section.texts("valid_rcodes")
    section.carry("valid_rcodes")
    if !codes.isEmpty { check["expect.rcode"] = .list(codes.map { .text($0) }) }
    answers(&check)
    section.list(
      "only the answers are judged here", "validate_authority_rrs", "validate_additional_rrs", change: .laxer)
    section.family(of: &check)
    return check
  }

  private func transport(_ check: inout ImportedCheck) {
    let isTCP = section.text("transport_protocol") == "tcp"
    if section.flag("dns_over_tls") == true {
      check["transport"] = .plain("dot")
      section.tls(of: &check)
    } else if isTCP {
      check["transport"] = .plain("tcp")
    }
    section.list("without dns_over_tls the exporter does not read it", "tls_config")
  }

  /// The exporter's patterns see the whole record, ours its data.
  private func answers(_ check: inout ImportedCheck) {
    guard let rules = section.section("validate_answer_rrs") else { return }
    for (theirs, ours) in [
      ("fail_if_matches_regexp", "expect.answers.none"),
      ("fail_if_none_matches_regexp", "expect.answers.any"),
    ] {
      for pattern in rules[theirs]?.all ?? [] {
        guard let text = pattern.text.map(PatternText.repeatable), !seesMore(text) else {
          rules.ledger.list(
            pattern, "conditions see the data of an answer, without name, TTL and type", .laxer)
          continue
        }
        rules.ledger.carry(pattern)
        check.append(ours, .text("~ \(text)"))
      }
    }
    rules.list(
      "there is no condition that every answer must meet", "fail_if_all_match_regexp",
      "fail_if_not_matches_regexp", change: .laxer)
  }

  /// A pattern of the record's name, its TTL, its class or its type, which stand before the data.
  private func seesMore(_ pattern: String) -> Bool {
    let marks = ["\t", "\\t", "\\s", "\\A", "[[:space:]]", "[[:blank:]]"]
    let isBound = ["^", "(?:^)"].contains { pattern.hasPrefix($0) }
    guard !isBound, !marks.contains(where: { pattern.contains($0) }) else { return true }
    let words = pattern.split { !("A"..."Z").contains($0) && !("a"..."z").contains($0) }
    let type = section["query_type"]?.text ?? ""
    if words.contains("IN") || type.utf8.count > 1 && words.contains(Substring(type)) { return true }
    var name = section["query_name"]?.text?.lowercased() ?? ""
    if name.hasSuffix(".") { name.removeLast() }
    var bare = pattern.replacing("\\", with: "").lowercased()
    while let mark = [".*", ".+"].first(where: { bare.hasPrefix($0) }) { bare.removeFirst(mark.count) }
    return !name.isEmpty && !bare.isEmpty && (bare.hasPrefix(name) || name.contains(bare))
  }
}
