// SPDX-License-Identifier: MIT

import Basics

/// A plugin that a check can stand for.
struct NagiosPlugin: Sendable {
  enum Arity: Sendable { case flag, value, optional }

  /// Letters, as getopt has them: a colon behind one that has a value, two where the value may be missing.
  let short: String
  /// Long names of letters.
  let long: [String: String]  // own text
  /// Options that have a long name only.
  var flags: [String] = []
  var values: [String] = []
  /// Options that change what is printed, not the verdict.
  var harmless = "vVhEBLn"
  var harmlessLong: Set<String> = ["sni", "output-format"]  // own text
  /// Why an option has no counterpart.
  var why: [String: String] = [:]  // own text
  /// Options that are conditions: without them the check is laxer.
  var laxer: Set<String> = []  // own text
  let make: @Sendable (NagiosCall) -> ImportedCheck?

  func arity(of letter: Character) -> Arity? {
    guard letter != ":", let place = short.firstIndex(of: letter) else { return nil }
    let behind = short[short.index(after: place)...]
    return behind.hasPrefix("::") ? .optional : behind.hasPrefix(":") ? .value : .flag
  }

  func arity(ofFlag flag: String) -> Arity {
    if values.contains(flag) { return .value }
    if flag.count == 1, let letter = flag.first { return arity(of: letter) ?? .flag }
    return .flag
  }

  /// The letter of a long option, or its name where it has none; it may be cut as long as it is the only one.
  func flag(named name: String) -> String? {
    let names = Self.common.merging(long) { $1 }
    if let letter = names[name] { return letter }
    let own = flags + values + ["output-format", "extra-opts"]
    if own.contains(name) { return name }
    let begun = Set(names.filter { $0.key.hasPrefix(name) }.values).union(own.filter { $0.hasPrefix(name) })
    return begun.count == 1 ? begun.first : nil
  }

  func sendsCredentials(_ check: ImportedCheck) -> Bool {
    if check["auth"] != nil { return true }
    guard case .map(let headers)? = check["headers"] else { return false }
    return headers.contains { if case .secret = $0.value { true } else { false } }
  }

  /// Why an option that every plugin has is left.
  static let whyCommon = ["extra-opts": "names options in a file, which is not read"]  // own text

  private static let common = [
    "hostname": "H", "timeout": "t", "warning": "w", "critical": "c", "verbose": "v", "version": "V",
    "help": "h", "use-ipv4": "4", "use-ipv6": "6",
  ]

  static let all: [String: NagiosPlugin] = [  // own text
    "check_http": http, "check_curl": http,
    "check_tcp": port(nil, nil), "check_ssh": ssh,
    "check_ftp": port(21, "ftp"), "check_imap": port(143, "imap"), "check_pop": port(110, "pop3"),
    "check_simap": port(993, "imap", isTLS: true), "check_spop": port(995, "pop3", isTLS: true),
    "check_ssmtp": port(465, "smtp", isTLS: true),
    "check_smtp": smtp, "check_ldap": ldap, "check_pgsql": pgsql, "check_mysql": mysql,
    "check_ping": ping, "check_fping": fping, "check_icmp": icmp, "check_dns": dns, "check_dig": dig,
    "check_ssl_cert": certificate,
  ]

  private static let http = NagiosPlugin(
    short: "Vvh46t:c:w:A:k:H:P:j:T:I:a:b:d:e:p:s:R:r:u:f:C:J:K:nlLS::m:M:NEBDx:U",
    long: [
      "ssl": "S", "post": "P", "method": "j", "IP-address": "I", "url": "u", "port": "p",
      "authorization": "a", "proxy-authorization": "b", "header-string": "d", "string": "s", "expect": "e",
      "regex": "r", "ereg": "r", "eregi": "R", "linespan": "l", "onredirect": "f", "certificate": "C",
      "client-cert": "J", "private-key": "K", "useragent": "A", "header": "k", "no-body": "N",
      "max-age": "M", "content-type": "T", "pagesize": "m", "extended-perfdata": "E", "show-body": "B",
      "proxy": "x", "verify-cert": "D", "link": "L", "nohtml": "n",
    ],
    flags: [
      "sni", "invert-regex", "continue-after-certificate", "haproxy-protocol",
      "enable-automatic-decompression", "verify-host",
    ],
    values: [
      "max-redirs", "state-regex", "timeout-result", "http-version", "ca-cert", "noproxy", "cookie-jar",
    ], harmless: "vVhEBLnU",
    why: [
      "m": "has no counterpart: the size of a page is not judged",
      "M": "has no counterpart: the age of a page is not judged",
      "b": "has no counterpart: write the proxy with its login as `proxy`",
      "state-regex": "has no counterpart: a body that does not match is down",
      "timeout-result": "has no counterpart: a timeout is down",
      "verify-host": "has no counterpart: a certificate is verified as a whole, or not at all",
    ], laxer: ["m", "M", "verify-host"]
  ) { $0.http() }

  private static func port(_ usual: Int?, _ dialog: String?, isTLS: Bool = false) -> NagiosPlugin {
    NagiosPlugin(
      short: "hVv46EAH:s:e:q:m:c:w:t:p:C:W:d:Sr:jD:M:",
      long: [
        "critical-codes": "C", "warning-codes": "W", "port": "p", "escape": "E", "all": "A", "send": "s",
        "expect": "e", "maxbytes": "m", "quit": "q", "jail": "j", "delay": "d", "refuse": "r",
        "mismatch": "M", "ssl": "S", "certificate": "D",
      ], values: ["sni"], harmless: "vVhjdmE",
      why: ["A": "has no counterpart: each of several texts must stand in the answer"], laxer: ["A"]
    ) { $0.port(usual, dialog, isTLS: isTLS) }
  }

  private static let ssh = NagiosPlugin(
    short: "Vhv46t:r:H:p:P:",
    long: ["host": "H", "port": "p", "remote-version": "r", "remote-protocol": "P"], laxer: ["r", "P"]
  ) { $0.service(22, "ssh") }

  private static let smtp = NagiosPlugin(
    short: "hVv46Lrt:p:f:e:c:w:H:C:R:sSD:F:A:U:P:q",
    long: [
      "expect": "e", "port": "p", "from": "f", "fqdn": "F", "authtype": "A", "authuser": "U", "authpass": "P",
      "command": "C", "response": "R", "lmtp": "L", "ssl": "s", "tls": "s", "starttls": "S",
      "certificate": "D", "ignore-quit-failure": "q", "proxy": "r",
    ], flags: ["sni", "ignore-certificate-expiration"], harmless: "vVhq",
    why: [
      "F": "has no counterpart: the agent greets with its own name",
      "A": "has no counterpart: a dialog does not log in",
      "U": "has no counterpart: a dialog does not log in",
      "P": "has no counterpart: a dialog does not log in",
    ], laxer: ["A", "U", "P", "C", "R"]
  ) { $0.mail() }

  private static let ldap = NagiosPlugin(
    short: "hvV234TS6t:c:w:H:b:p:a:D:P:C:W:",
    long: [
      "base": "b", "attr": "a", "bind": "D", "pass": "P", "ver2": "2", "ver3": "3", "starttls": "T",
      "ssl": "S", "port": "p", "warn": "w", "crit": "c", "warn-entries": "W", "crit-entries": "C",
    ], harmless: "vVh23"
  ) { $0.directory() }

  private static let pgsql = NagiosPlugin(
    short: "hVt:c:w:H:P:d:l:p:a:o:q:C:W:v",
    long: [
      "logname": "l", "password": "p", "authorization": "a", "port": "P", "database": "d", "option": "o",
      "query": "q", "query_critical": "C", "query_warning": "W",
    ], values: ["queryname"]
  ) { $0.service(5432, "postgres", at: "P") }

  private static let mysql = NagiosPlugin(
    short: "hlvVnSP:p:u:d:H:s:c:w:a:k:C:D:L:f:g:",
    long: [
      "socket": "s", "database": "d", "username": "u", "password": "p", "file": "f", "group": "g",
      "port": "P", "check-slave": "S", "ignore-auth": "n", "ssl": "l", "ca-cert": "C", "key": "k",
      "cert": "a", "ca-dir": "D", "ciphers": "L",
    ], flags: ["check-replica"], harmless: "vVhn"
  ) { $0.service(3306, "mysql", at: "P") }

  private static let ping = NagiosPlugin(
    short: "VvhnL46t:c:w:H:p:", long: ["packets": "p", "nohtml": "n", "link": "L"]
  ) { $0.ping(at: "p", usual: 5) }

  private static let fping = NagiosPlugin(
    short: "hVvaH:S:c:w:b:n:T:i:I:M:R:46",
    long: [
      "sourceip": "S", "sourceif": "I", "alive": "a", "bytes": "b", "number": "n", "target-timeout": "T",
      "interval": "i", "dontfrag": "M", "random": "R",
    ], harmless: "vVhRi",
    why: ["T": "has no counterpart: the packets of a run share its timeout"]
  ) { $0.ping(at: "n", usual: 1, source: "S") }

  private static let icmp = NagiosPlugin(
    short: "vhVw:c:n:p:t:H:s:i:b:I:l:m:P:R:J:S:M:O64", long: [:], harmless: "vVhI"
  ) {
    let warn = NagiosCall.Limit(trip: 200, loss: 40)
    return $0.ping(
      at: "n", usual: 5, source: "s", gap: "i",
      limits: (warn: warn, fail: NagiosCall.Limit(trip: 500, loss: 80)))
  }

  private static let dns = NagiosPlugin(
    short: "hVvALnt:H:s:r:a:w:c:q:",
    long: [
      "server": "s", "reverse-server": "r", "querytype": "q", "expected-address": "a",
      "expect-nxdomain": "n", "expect-authority": "A", "all": "L",
    ], harmless: "vVh"
  ) { $0.dns() }

  private static let dig = NagiosPlugin(
    short: "hVvt:l:H:w:c:T:p:a:A:E:X:46",
    long: [
      "query_address": "l", "dig-arguments": "A", "require-flags": "E", "forbid-flags": "X",
      "record_type": "T", "expected_address": "a", "port": "p",
    ], harmless: "vVh"
  ) { $0.dig() }

  private static let certificate = NagiosPlugin(
    short: "hVvH:p:P:w:c:n:m:Nt:46sAf:r:i:o:e:C:L:",
    long: [
      "host": "H", "port": "p", "protocol": "P", "cn": "n", "match": "m", "host-cn": "N", "selfsigned": "s",
      "noauth": "A", "file": "f", "rootcert": "r", "issuer": "i", "org": "o", "email": "e",
    ],
    flags: [
      "ignore-exp", "ignore-sct", "ignore-ocsp", "ignore-ocsp-errors", "ignore-ocsp-timeout",
      "ignore-sig-alg",
      "ignore-host-cn", "ignore-maximum-validity", "altnames",
    ], values: ["sni", "maximum-validity", "proxy", "url", "serial", "clientpass"], harmless: "vVhN",
    harmlessLong: ["sni", "output-format", "altnames"],
    laxer: ["i", "o", "e", "L", "maximum-validity", "serial"]
  ) { $0.sslCertificate() }
}
