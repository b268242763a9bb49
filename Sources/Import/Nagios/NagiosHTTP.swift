// SPDX-License-Identifier: MIT

import Basics

/// check_http and check_curl.
extension NagiosCall {
  func http() -> ImportedCheck? {
    let given = option("H").map { ForeignURL.place($0) }
    // The first word is the address, a second one the name.
    let ip = option("I") ?? (given == nil ? word() : nil)
    let name = given?.host ?? (ip == nil ? address : word())
    if let days = option("C"), !has("continue-after-certificate") {
      return certificateOnly(days, ip ?? name ?? address, name, given?.port)
    }
    var check = ImportedCheck(name: "", type: "http")
    let isTLS = has("S") || has("C")
    let port = option("p") ?? given?.port.map { "\($0)" }
    guard let url = url(ip ?? name ?? address, port, isTLS: isTLS) else { return nil }
    check.take(url: url)
    if let name {
      let usual = isTLS ? 443 : 80
      let reached = port.flatMap { Int($0) } ?? usual
      self.host(
        name, given?.port ?? reached, usual, isURL: (ip ?? name) == name && given?.port ?? reached == reached,
        &check)
      if isTLS, let ip, name != ip { check["tls.server_name"] = .text(name) }
    }
    request(&check)
    if let days = option("C") { certificate(days, &check, at: "C") }
    if isTLS { tls(&check) }
    thresholds(&check)
    status(&check)
    body(&check)
    return check
  }

  /// The name that is asked for, with a port that is not the usual one.
  ///
  /// - Parameter isURL: the URL says it already.
  private func host(_ name: String, _ port: Int, _ usual: Int, isURL: Bool, _ check: inout ImportedCheck) {
    // A header of its own wins.
    guard !isURL, !all("k").contains(where: { $0.hasPrefix("Host:") }) else { return }
    check.header("Host", port == usual ? name : "\(bracketed(name)):\(port)")
  }

  private func url(_ host: String, _ port: String?, isTLS: Bool) -> String? {
    let port = port.map { ":\($0)" } ?? ""
    let path = option("u") ?? "/"
    guard path.hasPrefix("/"), Int(port.dropFirst()) != nil || port.isEmpty else { return nil }
    let bare = bracketed(host)
    return "\(isTLS ? "https" : "http")://\(bare)\(port)\(path)"
  }

  /// `-C` alone looks at the certificate and asks for no page.
  private func certificateOnly(
    _ days: String, _ host: String, _ name: String?, _ port: Int?
  ) -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tls")
    check["host"] = .text(host)
    check["port"] = .number(number("p", 1...65_535) ?? port ?? 443)
    if let name, name != host { check["tls.server_name"] = .text(name) }
    certificate(days, &check, at: "C")
    tls(&check)
    for flag in ["u", "e", "s", "r", "R", "d", "f", "w", "c", "k", "j", "P", "a", "A", "N", "m", "M"]
    where has(flag) {
      note("type", "with -C alone the plugin asks for no page, so -\(flag) has no effect")
    }
    return check
  }

  private func tls(_ check: inout ImportedCheck) {
    if let file = option("J") { check["tls.client_certificate"] = .text(file) }
    if let file = option("K") { check["tls.client_key"] = .text(file) }
    if let file = option("ca-cert") {
      check["tls.ca_file"] = .text(file)
    } else if !has("D") {
      withoutVerification(&check)
    }
    guard let version = option("S"), !version.isEmpty else { return }
    let known = ["1": "1.0", "1.0": "1.0", "1.1": "1.1", "1.2": "1.2", "1.3": "1.3"]  // own text
    guard let oldest = known[version.replacing("+", with: "")] else {
      leave("S", "names a version of TLS that is not spoken here", .laxer)
      return
    }
    check["tls.min_version"] = .text(oldest)
    if !version.hasSuffix("+") { check["tls.max_version"] = .text(oldest) }
  }

  private func request(_ check: inout ImportedCheck) {
    if let method = option("j") {
      if method.contains(":") {
        leave("j", "names two methods; the first is taken")
      }
      check["method"] = .text(String(method.prefix { $0 != ":" }).uppercased())
    }
    if let body = option("P") {
      if check["method"] == nil { check["method"] = .plain("POST") }
      check.body(body)
      check.header("Content-Type", option("T") ?? "application/x-www-form-urlencoded")
    }
    for header in all("k") {
      guard let colon = header.firstIndex(of: ":") else {
        leave("k", "is no header with its value")
        continue
      }
      check.header(header[..<colon].trimmed, header[header.index(after: colon)...].trimmed)
    }
    if let agent = option("A") { check.header("User-Agent", agent) }
    if let login = option("a"), !login.isEmpty {
      let parts = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      check.login(parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }
    if let proxy = option("x") {
      check.proxy(proxy)
      if proxy.hasPrefix("socks5://") { note("proxy", "the proxy resolves the target's name, too", .changed) }
    }
    if let version = option("http-version") {
      let known = ["1.0": "1.0", "1.1": "1.1", "2.0": "2", "2": "2"]  // own text
      if let word = known[version] {
        check["http_version"] = .text(word)
      } else {
        leave("http-version", "names a version of HTTP that is not spoken here")
      }
    }
    if has("N") { check["read_body"] = .plain("false") }
  }

  // MARK: The answer

  /// Without `-e` a status below 400 is well; with it only the text of the status line counts, and nothing is followed.
  private func status(_ check: inout ImportedCheck) {
    if let wanted = option("e") {
      if has("f") { note("follow", "with -e the plugin follows nothing, so -f has no effect") }
      check["follow"] = .plain("false")
      check["expect.status"] = codes(wanted)
      return
    }
    note(
      "expect.status", "a status of 400 to 499 is a warning there; it is down here", .stricter)
    let redirect = option("f") ?? "ok"
    switch redirect {
    case "follow", "curl": break
    case "sticky", "stickyport":
      note("follow", "a redirect is followed to any address; \(redirect) stays on one", .laxer)
    default:
      check["follow"] = .plain("false")
      check["expect.status"] = .list([.plain(redirect == "ok" ? "200-399" : "200-299")])
      if redirect == "warning" {
        note("expect.status", "a redirect is a warning there; it is down here", .stricter)
      }
      return
    }
    if let most = number("max-redirs", 0...20) { check["max_redirects"] = .number(most) }
  }

  /// Texts of a status line: a code in them is the condition.
  private func codes(_ wanted: String) -> AgentValue {
    var codes: [AgentValue] = []
    var isText = false
    for part in wanted.split(separator: ",").map({ $0.trimmed }) {
      let words = part.split(separator: " ")
      let digits = words.first.map { $0.hasPrefix("HTTP/") ? words.dropFirst().first ?? "" : $0 } ?? ""
      if let code = Int(digits), digits.utf8.count == 3, (100...599).contains(code) {
        if words.first?.hasPrefix("HTTP/") == true {
          note("expect.status", "the version of HTTP in -e is not judged", .laxer)
        }
        codes.append(.number(code))
      } else if words.count == 2, let range = Self.codes(startingWith: digits) {
        note("expect.status", "the version of HTTP in -e is not judged", .laxer)
        codes.append(.plain(range))
      } else if "HTTP/1.1 ".hasPrefix(part) || "HTTP/1.0 ".hasPrefix(part), !part.isEmpty {
        return .plain("any")
      } else {
        isText = true
      }
    }
    if isText {
      leave(
        "e", "has a text that is no code; a status is judged by its code", codes.isEmpty ? .laxer : .stricter)
    }
    return codes.isEmpty ? .list([.plain("200-399")]) : .list(codes)
  }

  /// The status line is searched for the text, which may be the start of a status.
  private static func codes(startingWith digits: Substring) -> String? {
    guard (1...2).contains(digits.utf8.count), ("1"..."5").contains(digits.first ?? " "), Int(digits) != nil
    else { return nil }
    return digits.utf8.count == 1 ? "\(digits)00-\(digits)99" : "\(digits)0-\(digits)9"
  }

  private func body(_ check: inout ImportedCheck) {
    // An empty text, pattern or header is no condition.
    if let text = option("s"), !text.isEmpty { check["expect.body.contains"] = .text(text) }
    // Behind -l a pattern sees the text as a whole, at and behind -R case does not count, and the last one counts.
    let (plain, other) = (option("r"), option("R"))
    let flag = isLast("R", of: "r") ? "R" : "r"
    let flags =
      (flag == "R" || has("R", before: "r") ? "(?i)" : "") + (has("l", before: flag) ? "(?s-m)" : "")
    let key = has("invert-regex") ? "expect.body.not_matches" : "expect.body.matches"
    if let pattern = flag == "R" ? other : plain, !pattern.isEmpty { check[key] = .text(flags + pattern) }
    guard let header = option("d"), !header.isEmpty else { return }
    guard let colon = header.firstIndex(of: ":"), header[..<colon].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else {
      leave("d", "names no header; a condition is on one header", .laxer)
      return
    }
    let value = header[header.index(after: colon)...].trimmed
    check["expect.header"] = .map([(String(header[..<colon]), .text("~ ^\(PatternText.escaped(value))"))])
  }
}
