// SPDX-License-Identifier: MIT

import Basics

/// The call of a plugin: its name and its options, macros of the host put in.
struct NagiosPlugin {
  private let name: String
  private var options: [(flag: String, value: String)] = []
  private var plain: [String] = []
  private let address: String
  /// Options that no key of ours takes.
  private(set) var left: [String] = []

  /// Options that stand alone.
  private static let alone = [
    "-S", "--ssl", "--sni", "-N", "--no-body", "-4", "-6", "-v", "--verify-cert", "-D", "--verify-host",
    "--use-ipv4", "--use-ipv6", "-L", "-E", "-A", "--all", "-l", "--linespan", "--insensitive",
  ]

  /// Nil: not a plugin that anybody here knows.
  init?(_ words: [String], address: String, hostName: String) {
    guard let first = words.first else { return nil }
    var name = first.split(separator: "/").last.map(String.init) ?? first
    // `check-host-alive`, `check_ping`, and Debian's names of its commands.
    if name == "check-host-alive" || name == "check_icmp" || name == "check_fping" { name = "check_ping" }
    if name == "check_https" { name = "check_http" }
    guard Self.makers[name] != nil else { return nil }
    (self.name, self.address) = (name, address)
    if first.hasSuffix("check_https") { options.append(("-S", "")) }
    // The next word is the last: words are taken apart in place.
    var rest = Array(
      words.dropFirst().map {
        $0.replacing("$HOSTADDRESS$", with: address).replacing("$HOSTNAME$", with: hostName)
      }.filter { !$0.isEmpty }.reversed())
    while let word = rest.popLast() {
      guard word.hasPrefix("-"), word != "-" else {
        // An argument of `check_command` may have several words in it.
        if word.contains(" -") || word.hasPrefix(" "), !NagiosBook.words(word).isEmpty {
          rest += NagiosBook.words(word).reversed()
        } else {
          plain.append(word)
        }
        continue
      }
      if word.contains(" ") {
        rest += NagiosBook.words(word).reversed()
      } else {
        take(word, &rest)
      }
    }
    left = options.map(\.flag).filter { !(Self.makers[name]?.known ?? []).contains($0) }.map(Self.bare)
  }

  /// Bytes of the words at most, the host's macros put in.
  static func size(of words: [String], address: String, hostName: String) -> Int {
    let signs = words.reduce(0) { $0 + $1.utf8.count { $0 == UInt8(ascii: "$") } }
    return words.reduce(0) { $0 + $1.utf8.count } + signs / 2 * max(address.utf8.count, hostName.utf8.count)
  }

  /// An option without what may follow it: that may be a secret.
  private static func bare(_ flag: String) -> String {
    let end = flag.utf8.firstIndex {
      !((0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || $0 == UInt8(ascii: "-"))
    }
    return String(flag[..<(end ?? flag.endIndex)]).printable(maxBytes: 40)
  }

  private mutating func take(_ word: String, _ rest: inout [String]) {
    if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
      options.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
    } else if Self.alone.contains(word) && !(name == "check_dns" && word == "-A") {
      options.append((word, ""))
    } else if !word.hasPrefix("--"), word.utf8.count > 2 {
      options.append((String(word.prefix(2)), String(word.dropFirst(2))))
    } else {
      options.append(
        (word, rest.last?.hasPrefix("-") == true && rest.last != "-1" ? "" : rest.popLast() ?? ""))
    }
  }

  private func option(_ flags: String...) -> String? { options.last { flags.contains($0.flag) }?.value }
  private func has(_ flags: String...) -> Bool { options.contains { flags.contains($0.flag) } }
  private var host: String { option("-H", "--hostname", "-I", "--IP-address") ?? address }

  /// Milliseconds.
  var timeout: Int? {
    option("-t", "--timeout").flatMap { Double($0.prefix { $0 != ":" }) }.flatMap {
      $0 > 0 && $0 < 100_000 ? Int($0 * 1000) : nil
    }
  }

  private typealias Maker = (known: [String], make: @Sendable (NagiosPlugin) -> ImportedCheck?)
  private static let common = [
    "-H", "--hostname", "-t", "--timeout", "-4", "-6", "-v", "--use-ipv4", "--use-ipv6",
  ]
  private static let times = ["-w", "--warning", "-c", "--critical"]
  private static let makers: [String: Maker] = [  // own text
    "check_http": (
      common + times + [
        "-I", "--IP-address", "-u", "--url", "-p", "--port", "-S", "--ssl", "--sni", "-s", "--string", "-r",
        "--regex",
        "-R", "--eregi", "-e", "--expect", "-a", "--authorization", "-k", "--header", "-f", "--onredirect",
        "-j",
        "--method", "-P", "--post", "-C", "--certificate", "-A", "--useragent", "-N", "--no-body", "-T",
        "--content-type",
      ], { $0.http() }
    ),
    "check_tcp": (
      common + times + ["-p", "--port", "-s", "--send", "-e", "--expect", "-S", "--ssl"],
      { $0.port(nil, nil) }
    ),
    "check_ssh": (common + ["-p", "--port"], { $0.port(22, "ssh") }),
    "check_smtp": (common + times + ["-p", "--port", "-S", "--starttls", "-D"], { $0.mail(25, "smtp") }),
    "check_imap": (common + times + ["-p", "--port", "-S", "--ssl"], { $0.port(143, "imap") }),
    "check_pop": (common + times + ["-p", "--port", "-S", "--ssl"], { $0.port(110, "pop3") }),
    "check_ftp": (common + times + ["-p", "--port", "-S", "--ssl"], { $0.port(21, "ftp") }),
    "check_ldap": (common + times + ["-p", "--port"], { $0.port(389, "ldap") }),
    "check_pgsql": (common + times + ["-P", "--port"], { $0.port(5432, "postgres") }),
    "check_mysql": (common + ["-P", "--port"], { $0.port(3306, "mysql") }),
    "check_ping": (common + times + ["-p", "--packets", "-n"], { $0.ping() }),
    "check_dns": (
      common + times + ["-s", "--server", "-a", "--expected-address", "-q", "--querytype"],
      { $0.dns(server: $0.option("-s", "--server")) }
    ),
    "check_dig": (
      common + times + [
        "-l", "--query_address", "-T", "--record_type", "-a", "--expected_address", "-p", "--port",
      ], { $0.dig() }
    ),
    "check_ssl_cert": (
      common + times + ["-p", "--port", "-P", "--protocol", "-n", "--cn"], { $0.certificate() }
    ),
  ]

  func check() -> ImportedCheck? {
    guard var check = Self.makers[name]?.make(self) else { return nil }
    if has("-4", "--use-ipv4") { check["ip"] = .text("4") }
    if has("-6", "--use-ipv6") { check["ip"] = .text("6") }
    return check
  }

  private func seconds(_ text: String?) -> Int? {
    guard let text, let number = Double(text), number > 0, number <= 60 else { return nil }
    return Int(number * 1000)
  }

  private func thresholds(_ check: inout ImportedCheck) {
    if let warn = seconds(option("-w", "--warning")) { check["expect.response_time.warn"] = .duration(warn) }
    if let fail = seconds(option("-c", "--critical")) {
      check["expect.response_time.fail"] = .duration(min(fail, timeout ?? 10_000))
    }
  }

  private func http() -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "http")
    let isTLS = has("-S", "--ssl", "-C", "--certificate")
    let name = option("-H", "--hostname") ?? host
    let address = option("-I", "--IP-address") ?? name
    let port = option("-p", "--port").map { ":\($0)" } ?? ""
    let bare = ForeignURL.place(address).port == nil && address.contains(":") ? "[\(address)]" : address
    check.take(url: "\(isTLS ? "https" : "http")://\(bare)\(port)\(option("-u", "--url") ?? "/")")
    if name != address {
      check.header("Host", name)
      if isTLS { check["tls.server_name"] = .text(name) }
    }
    if let days = option("-C", "--certificate")?.split(separator: ",").compactMap({ Int($0) }),
      let warn = days.first
    {
      check["expect.certificate.warn"] = .plain("\(warn)d")
      if days.count > 1 { check["expect.certificate.fail"] = .plain("\(days[1])d") }
    }
    thresholds(&check)
    request(&check)
    answer(&check)
    return check
  }

  private func request(_ check: inout ImportedCheck) {
    if let method = option("-j", "--method") { check["method"] = .text(method.uppercased()) }
    if let body = option("-P", "--post") {
      if check["method"] == nil { check["method"] = .plain("POST") }
      check["body"] = .text(percentDecoded(body) ?? body)
      check.header("Content-Type", option("-T", "--content-type") ?? "application/x-www-form-urlencoded")
    }
    for header in options where header.flag == "-k" || header.flag == "--header" {
      guard let colon = header.value.firstIndex(of: ":") else { continue }
      check.header(
        header.value[..<colon].trimmed, header.value[header.value.index(after: colon)...].trimmed)
    }
    if let agent = option("-A", "--useragent") { check.header("User-Agent", agent) }
    if let login = option("-a", "--authorization") {
      let parts = login.split(separator: ":", maxSplits: 1).map(String.init)
      check["auth.basic.username"] = .text(parts.first ?? "")
      check["auth.basic.password"] = .secret(Redacted(parts.count > 1 ? parts[1] : ""), as: "password")
    }
    if has("-N", "--no-body") { check["read_body"] = .plain("false") }
  }

  private func answer(_ check: inout ImportedCheck) {
    let redirect = option("-f", "--onredirect") ?? "ok"
    if redirect != "follow" && redirect != "sticky" && redirect != "stickyport" {
      check["follow"] = .plain("false")
      check["expect.status"] = .list([
        .plain(redirect == "critical" || redirect == "warning" ? "200-299" : "200-399")
      ])
    }
    if let wanted = option("-e", "--expect") {
      let codes = wanted.split(separator: ",").compactMap { part in
        part.split(separator: " ").compactMap { Int($0) }.first { (100...599).contains($0) }
      }
      check["expect.status"] = codes.isEmpty ? .list([.plain("200-399")]) : .list(codes.map { .number($0) })
    }
    if let text = option("-s", "--string") { check["expect.body.contains"] = .text(text) }
    if let pattern = option("-r", "--regex") { check["expect.body.matches"] = .text(pattern) }
    if let pattern = option("-R", "--eregi") { check["expect.body.matches"] = .text("(?i)\(pattern)") }
  }

  private func port(_ usual: Int?, _ dialog: String?) -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tcp")
    let given = option("-p", "--port").flatMap { Int($0) } ?? option("-P").flatMap { Int($0) }
    guard let port = given ?? plain.first(where: { Int($0) != nil }).flatMap({ Int($0) }) ?? usual else {
      return nil
    }
    check["host"] = .text(host)
    check["port"] = .number(port)
    if has("-S", "--ssl") { check["tls"] = .plain("true") }
    if let dialog { check["dialog"] = .plain(dialog) }
    if let text = option("-s", "--send") {
      check.append("dialog", .map([("send", .text(BlackboxTCP.escaped(text)))]))
    }
    if dialog == nil, let text = option("-e", "--expect") {
      check.append("dialog", .map([("expect", .text(text))]))
    }
    thresholds(&check)
    return check
  }

  private func mail(_ usual: Int, _ dialog: String) -> ImportedCheck? {
    guard has("-S", "--starttls") || has("-D") else { return port(usual, dialog) }
    var check = ImportedCheck(name: "", type: "tls")
    check["host"] = .text(host)
    check["port"] = .number(option("-p", "--port").flatMap { Int($0) } ?? usual)
    check["starttls"] = .plain(dialog)
    return check
  }

  /// `100.0,20%`: round trip in milliseconds, and loss.
  private func ping() -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "ping")
    check["host"] = .text(host)
    if let count = option("-p", "--packets", "-n").flatMap({ Int($0) }), (1...100).contains(count) {
      check["count"] = .number(count)
    }
    let pairs = (
      option("-w", "--warning") ?? plain.first, option("-c", "--critical") ?? plain.dropFirst().first
    )
    for (pair, level) in [(pairs.0, "warn"), (pairs.1, "fail")] {
      let parts = pair?.split(separator: ",").map { $0.trimmed } ?? []
      guard parts.count == 2, let trip = Double(parts[0]), trip > 0,
        let loss = Int(parts[1].prefix { $0 != "%" })
      else { continue }
      if trip <= 10_000 { check["expect.rtt.\(level)"] = .duration(Int(trip.rounded(.up))) }
      if loss > 0 { check["expect.loss.\(level)"] = .plain("\(loss)%") }
    }
    return check
  }

  private func dns(server: String?) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "dns")
    if let server { check["server"] = .text(server) }
    check["query.name"] = .text(host)
    if let type = option("-q", "--querytype") { check["query.type"] = .text(type) }
    if let answers = option("-a", "--expected-address") {
      check["expect.answers.any"] = .list(answers.split(separator: ",").map { .text($0.trimmed) })
    }
    thresholds(&check)
    return check
  }

  private func dig() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "dns")
    guard let name = option("-l", "--query_address") else { return nil }
    check["server"] = .text(option("-p", "--port").map { "\(host):\($0)" } ?? host)
    check["query.name"] = .text(name)
    if let type = option("-T", "--record_type") { check["query.type"] = .text(type) }
    if let answer = option("-a", "--expected_address") { check.append("expect.answers.any", .text(answer)) }
    thresholds(&check)
    return check
  }

  private func certificate() -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "tls")
    check["host"] = .text(host)
    check["port"] = .number(option("-p", "--port").flatMap { Int($0) } ?? 443)
    if let name = option("-n", "--cn") { check["tls.server_name"] = .text(name) }
    if let word = option("-P", "--protocol"),
      ["smtp", "imap", "pop3", "ftp", "ldap", "postgres", "mysql", "xmpp"].contains(word)
    {
      check["starttls"] = .plain(word)
    }
    for (flag, long, level) in [("-w", "--warning", "warn"), ("-c", "--critical", "fail")] {
      if let days = option(flag, long).flatMap({ Int($0) }), (0...3650).contains(days) {
        check["expect.certificate.\(level)"] = .plain("\(days)d")
      }
    }
    return check
  }
}
