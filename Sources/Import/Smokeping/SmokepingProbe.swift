// SPDX-License-Identifier: MIT

import Basics

/// A probe with the values that hold for one target.
struct SmokepingProbe {
  private let module: String
  private let values: [ByteText: ForeignNode]
  private let database: SmokepingPart?
  private let ledger: Ledger

  /// - Parameter target: values of the target and what is above it, which come before the probe's.
  init(
    _ probe: SmokepingBook.Probe, _ target: [ByteText: ForeignNode], _ database: SmokepingPart?,
    _ ledger: Ledger
  ) {
    module = probe.module
    values = probe.values.merging(target) { $1 }
    (self.database, self.ledger) = (database, ledger)
  }

  private func text(_ name: String) -> String? {
    guard let node = values[ByteText(name)], let text = node.text, !text.isEmpty else { return nil }
    ledger.carry(node)
    return text
  }

  private func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
    let usual = ["pings", "step"].contains(name) ? database?[name] : nil
    guard let node = values[ByteText(name)] ?? usual else { return nil }
    guard let number = node.text.flatMap({ Double($0) }), range.contains(number) else {
      // Another probe may take it.
      ledger.list(node, Ledger.misread, .changed)
      return nil
    }
    ledger.carry(node)
    return number
  }

  private func list(_ name: String, _ why: String, _ change: ImportNote.Change) {
    ledger.list(values[ByteText(name)], why, change)
  }

  func check(_ host: String) -> ImportedCheck? {
    switch module {
    case "FPing", "FPing6", "FPingContinuous": return ping(host)
    case "TCPPing": return port(host, usual: 80, dialog: nil)
    case "SSH", "AnotherSSH": return port(host, usual: 22, dialog: "ssh")
    case "EchoPingSmtp", "SendEmail": return port(host, usual: 25, dialog: "smtp")
    case "DNS", "AnotherDNS", "EchoPingDNS": return dns(host)
    case "Curl": return curl(host)
    case "EchoPingHttp", "EchoPingHttps": return page(host)
    default: return nil
    }
  }

  private func pace(_ check: inout ImportedCheck, _ timeout: Double) {
    check.pace(interval: Int((number("step", 1...10_000_000) ?? 300) * 1000), timeout: Int(timeout * 1000))
    check["retries"] = .plain("0")
    for (name, usual) in [("step", "5m"), ("pings", "20")]
    where values[ByteText(name)] == nil && database?[name] == nil {
      check.note(.changed, name, "*** Database *** has to say it, and is not in the files: \(usual) is taken")
    }
    if let address = text("sourceaddress") { check["source_address"] = .text(address) }
  }

  /// Most probes ask several times in a step.
  private func once(_ check: inout ImportedCheck) {
    let pings = Int(number("pings", 1...1000) ?? 20)
    if pings > 1 { check.note(.changed, "pings", "it is asked once in a run, and not \(pings) times") }
  }

  private func ping(_ host: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "ping")
    check["host"] = .text(host)
    let pings = Int(number("pings", 1...1000) ?? 20)
    let count = min(100, pings)
    if pings > 100 { check.note(.changed, "pings", "100 packets are sent in a run, and not \(pings)") }
    check["count"] = .number(count)
    let wait = number("timeout", 0.01...60) ?? 1.5
    // Without it, the period is that of fping itself.
    let asked = number("hostinterval", 0...60) ?? 1
    // A run has 60 s at most.
    let pause = max(0.01, min(asked, 10, (58 - min(wait, 5)) / Double(max(1, count))))
    if pause < asked {
      check.note(.changed, "hostinterval", "packets are \(Int(pause * 1000))ms apart: a run has 60s at most")
    }
    if count > 1 { check["packet_interval"] = .duration(Int(pause * 1000)) }
    let size = number("packetsize", 12...64_000).map { Int($0) }
    if let size, size <= 1472 { check["size"] = .number(size) }
    if let size, size > 1472 { list("packetsize", "a packet has 1472 bytes at most", .changed) }
    let family = text("protocol")
    if module == "FPing6" || family == "6" {
      check["ip"] = .text("6")
    } else if family == "4" {
      check["ip"] = .text("4")
    }
    list("interface", "a check is bound to an address, not to an interface", .changed)
    list("fwmark", "packets are sent as the kernel makes them", .changed)
    list("tos", "packets are sent as the kernel makes them", .changed)
    pace(&check, pause * Double(count) + wait)
    return check
  }

  private func port(_ host: String, usual: Int, dialog: String?) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(host)
    check["port"] = .number(number("port", 1...65_535).map { Int($0) } ?? usual)
    if let dialog { check["dialog"] = .plain(dialog) }
    list("keytype", "no keys are exchanged", .laxer)
    list("greeting", "the greeting is not compared", .laxer)
    once(&check)
    pace(&check, number("timeout", 0.01...60) ?? 5)
    return check
  }

  private func dns(_ host: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "dns")
    let server = text("server") ?? host
    let port = number("port", 1...65_535).map { Int($0) } ?? 53
    check["server"] = .text(port == 53 ? server : "\(bracketed(server)):\(port)")
    check["query.name"] = .text(text("lookup") ?? text("dns_request") ?? host)
    if let type = text("recordtype") ?? text("dns_type") { check["query.type"] = .text(type) }
    if text("protocol")?.lowercased() == "tcp" || text("dns_tcp") != nil {
      check["transport"] = .plain("tcp")
    }
    if text("ipversion") == "6" { check["ip"] = .text("6") }
    if let flag = text("authoritative"), flag != "0" {
      check["query.recursion"] = .plain("false")
      list("authoritative", "the flag of an authoritative answer is not compared", .laxer)
    }
    if let least = number("require_answers", 0...65_535), least > 0 {
      check["expect.count"] = .text(">= \(Int(least))")
    }
    let isNoName = text("require_nxdomain") == "1"
    if isNoName { check["expect.rcode"] = .list([.plain("NXDOMAIN")]) }
    // Any answer is one.
    if text("require_noerror") != "1", !isNoName {
      let codes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"]
      check["expect.rcode"] = .list(codes.map { .plain($0) })
    }
    if let wanted = text("expect_text") {
      check["expect.answers.any"] = .list([.text("~ \(PatternText.escaped(wanted))")])
    }
    once(&check)
    pace(&check, number("timeout", 0.01...60) ?? 5)
    return check
  }

  private func curl(_ host: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "http")
    let format = text("urlformat") ?? "http://%host%/"
    check.take(url: format.replacing("%host%", with: bracketed(host)))
    check["follow"] = .flag(text("follow_redirects") == "yes")
    check["expect.status"] = .plain("any")
    if let agent = text("agent") { check.header("User-Agent", agent) }
    // Perl takes 0 for no, and the word "no" for yes.
    if let word = text("insecure_ssl"), word != "0" { check["tls.verify"] = .plain("false") }
    // A text as it is, and no pattern.
    if let wanted = text("expect") { check["expect.body.contains"] = .list([.text(wanted)]) }
    _ = text("require_zero_status")
    list("include_redirects", "the time of a run has all redirects that were followed", .changed)
    list("extraargs", "arguments of the program curl have no effect", .changed)
    list("interface", "a check is bound to an address, not to an interface", .changed)
    once(&check)
    pace(&check, number("timeout", 0.01...600) ?? 10)
    return check
  }

  private func page(_ host: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "http")
    let isSecure = module == "EchoPingHttps"
    let port = number("port", 1...65_535).map { ":\(Int($0))" } ?? ""
    let path = text("url") ?? "/"
    let scheme = isSecure ? "https" : "http"
    check.take(
      url: path.contains("://")
        ? path : "\(scheme)://\(bracketed(host))\(port)\(path.hasPrefix("/") ? path : "/\(path)")")
    // An address in full is asked for at a web cache, and the target is that one.
    if path.hasPrefix("http://"), !isSecure {
      check.proxy("http://\(bracketed(host))\(port.isEmpty ? ":80" : port)")
    }
    check["follow"] = .plain("false")
    check["expect.status"] = .plain("any")
    if isSecure { check["tls.verify"] = .plain("false") }
    list("extraopts", "arguments of the program echoping have no effect", .changed)
    once(&check)
    pace(&check, number("timeout", 0.01...60) ?? 10)
    return check
  }
}
