// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Values of Smokeping's probes, with those that its manual gives by itself, and what a target inherits.
@Suite struct SmokepingValuesTests {
  private func read(_ targets: String, probes: String = "", step: String = "step = 300\npings = 1\n") throws
    -> ReadSource
  {
    try ReadSource(
      .smokeping,
      "*** Database ***\n\(step)*** Probes ***\n\(probes)*** Targets ***\n\(targets)")
  }

  private func check(_ probe: String, _ lines: String, step: String = "step = 300\npings = 1\n") throws
    -> ImportedCheck
  {
    let made = try read("+ A\nprobe = \(probe)\nhost = a.example\n\(lines)\n", step: step)
    return try #require(made.imported.checks.first)
  }

  /// Each probe's kind, port and longest time.
  @Test(
    arguments: [
      ("FPing", "ping", nil, "2500ms", nil), ("FPing6", "ping", nil, "2500ms", nil),
      ("FPingContinuous", "ping", nil, "2500ms", nil), ("TCPPing", "tcp", "80", "5s", nil),
      ("SSH", "tcp", "22", "5s", "ssh"), ("AnotherSSH", "tcp", "22", "5s", "ssh"),
      ("EchoPingSmtp", "tcp", "25", "5s", "smtp"), ("DNS", "dns", nil, "5s", nil),
      ("AnotherDNS", "dns", nil, "5s", nil), ("EchoPingDNS", "dns", nil, "5s", nil),
      ("Curl", "http", nil, "10s", nil), ("EchoPingHttp", "http", nil, "10s", nil),
      ("EchoPingHttps", "http", nil, "10s", nil),
    ] as [(String, String, String?, String, String?)])
  func probes(name: String, type: String, port: String?, timeout: String, dialog: String?) throws {
    let check = try check(name, "")
    #expect(check["type"]?.word == type && check["port"]?.word == port && check["dialog"]?.word == dialog)
    #expect(check["timeout"]?.word == timeout && check["interval"]?.word == "5m")
    #expect(check["ip"]?.word == (name == "FPing6" ? "6" : nil) && check.notes == [])
  }

  /// A value of a target, and the key that it becomes.
  @Test(
    arguments: [
      ("FPing", "packetsize = 12", "size", "12"),
      ("FPing", "sourceaddress = 192.0.2.9", "source_address", "192.0.2.9"),
      ("FPing", "protocol = 6", "ip", "6"), ("FPing", "protocol = 4", "ip", "4"), ("FPing", "", "ip", nil),
      ("FPing", "pings = 100", "count", "100"), ("FPing", "pings = 101", "count", "100"),
      ("FPing", "timeout = 4", "timeout", "5s"),
      ("FPing", "pings = 2\nhostinterval = 0.2", "packet_interval", "200ms"),
      ("FPing", "", "packet_interval", nil),
      ("FPing", "pings = 2", "packet_interval", "1s"), ("TCPPing", "port = 443", "port", "443"),
      ("TCPPing", "timeout = 2", "timeout", "2s"), ("DNS", "server = 192.0.2.53", "server", "192.0.2.53"),
      ("DNS", "", "server", "a.example"), ("DNS", "port = 5353", "server", "a.example:5353"),
      ("DNS", "port = 53", "server", "a.example"), ("DNS", "lookup = b.example", "query.name", "b.example"),
      ("DNS", "", "query.name", "a.example"), ("DNS", "recordtype = MX", "query.type", "MX"),
      ("EchoPingDNS", "dns_request = b.example", "query.name", "b.example"),
      ("EchoPingDNS", "dns_type = MX", "query.type", "MX"),
      ("EchoPingDNS", "dns_tcp = 1", "transport", "tcp"),
      ("AnotherDNS", "protocol = tcp", "transport", "tcp"),
      ("AnotherDNS", "protocol = udp", "transport", nil),
      ("AnotherDNS", "require_noerror = 1", "expect.rcode", nil), ("Curl", "", "url", "http://a.example/"),
      ("Curl", "urlformat = https://%host%/%host%", "url", "https://a.example/a.example"),
      ("AnotherDNS", "protocol = TCP", "transport", "tcp"), ("AnotherDNS", "ipversion = 6", "ip", "6"),
      ("AnotherDNS", "ipversion = 4", "ip", nil),
      ("AnotherDNS", "authoritative = 1", "query.recursion", "false"),
      ("AnotherDNS", "authoritative = 0", "query.recursion", nil),
      ("AnotherDNS", "require_answers = 2", "expect.count", ">= 2"),
      ("AnotherDNS", "require_answers = 0", "expect.count", nil),
      ("Curl", "insecure_ssl = 1\nurlformat = https://%host%/", "tls.verify", "false"),
      ("Curl", "insecure_ssl = 0\nurlformat = https://%host%/", "tls.verify", nil),
      // A check of http without redirects has nothing to verify.
      ("Curl", "insecure_ssl = 1", "tls.verify", nil),
      ("Curl", "insecure_ssl = no\nurlformat = https://%host%/", "tls.verify", "false"),
      ("Curl", "timeout = 20", "timeout", "20s"),
      ("Curl", "agent = x", "headers.User-Agent", "x"), ("Curl", "", "follow", "false"),
      ("Curl", "follow_redirects = no", "follow", "false"), ("EchoPingHttp", "", "url", "http://a.example/"),
      ("EchoPingHttp", "port = 81\nurl = /x", "url", "http://a.example:81/x"),
      ("EchoPingHttp", "url = x", "url", "http://a.example/x"),
      ("EchoPingHttp", "url = https://b.example/x", "url", "https://b.example/x"),
      ("EchoPingHttp", "url = http://b.example/x\nport = 3128", "url", "http://b.example/x"),
      ("EchoPingHttp", "url = http://b.example/x\nport = 3128", "proxy", "http://a.example:3128"),
      ("EchoPingHttp", "url = http://b.example/x", "proxy", "http://a.example:80"),
      ("EchoPingHttp", "url = /x\nport = 3128", "proxy", nil),
      ("EchoPingHttps", "", "url", "https://a.example/"), ("EchoPingHttps", "", "tls.verify", "false"),
      ("EchoPingHttp", "", "tls.verify", nil), ("EchoPingHttp", "", "follow", "false"),
    ] as [(String, String, String, String?)])
  func values(probe: String, line: String, key: String, value: String?) throws {
    #expect(try check(probe, line)[key]?.word == value)
  }

  /// Any answer is one, unless no error is asked for, or a text.
  @Test func answersOfNames() throws {
    guard case .list(let codes)? = try check("AnotherDNS", "")["expect.rcode"],
      case .list(let texts)? = try check("AnotherDNS", "expect_text = a.b")["expect.answers.any"]
    else {
      Issue.record("no conditions")
      return
    }
    #expect(codes.map(\.word) == ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"])
    guard case .list(let none)? = try check("AnotherDNS", "require_nxdomain = 1")["expect.rcode"] else {
      Issue.record("no condition")
      return
    }
    #expect(none.map(\.word) == ["NXDOMAIN"])
    #expect(texts.map(\.word) == [#"~ a\.b"#])
  }

  /// Curl looks for a text as it is, in which signs of patterns are signs.
  @Test func textsOfPages() throws {
    let check = try check("Curl", "expect = Status: (ok).*\nrequire_zero_status = yes")
    guard case .list(let texts)? = check["expect.body.contains"] else {
      Issue.record("no condition")
      return
    }
    #expect(texts.map(\.word) == ["Status: (ok).*"] && check["expect.body.matches"] == nil)
  }

  /// What is lost says so beside the check.
  @Test(arguments: [
    ("FPing", "interface = eth0", "changed: a check is bound to an address, not to an interface"),
    ("FPing", "fwmark = 1", "changed: packets are sent as the kernel makes them"),
    ("FPing", "tos = 1", "changed: packets are sent as the kernel makes them"),
    ("FPing", "pings = 101\nhostinterval = 0.01", "changed: 100 packets are sent in a run, and not 101"),
    ("SSH", "keytype = rsa", "laxer: no keys are exchanged"),
    ("AnotherSSH", "greeting = x", "laxer: the greeting is not compared"),
    ("SSH", "pings = 2", "changed: it is asked once in a run, and not 2 times"),
    ("AnotherDNS", "authoritative = 1", "laxer: the flag of an authoritative answer is not compared"),
    ("DNS", "pings = 2", "changed: it is asked once in a run, and not 2 times"),
    ("Curl", "pings = 2", "changed: it is asked once in a run, and not 2 times"),
    ("EchoPingHttp", "pings = 2", "changed: it is asked once in a run, and not 2 times"),
    ("Curl", "extraargs = -6", "changed: arguments of the program curl have no effect"),
    ("Curl", "interface = eth0", "changed: a check is bound to an address, not to an interface"),
    ("EchoPingHttp", "extraopts = -A", "changed: arguments of the program echoping have no effect"),
    ("FPing", "slaves = b", "changed: an agent probes from where it stands"),
    ("TCPPing", "port = 65536", "changed: \(Ledger.misread)"),
    ("TCPPing", "port = 0", "changed: \(Ledger.misread)"),
    ("FPing", "packetsize = 11", "changed: \(Ledger.misread)"),
    ("FPing", "packetsize = 64001", "changed: \(Ledger.misread)"),
  ])
  func whatIsLost(probe: String, line: String, note: String) throws {
    let notes = try check(probe, line).notes.map { "\($0.change?.rawValue ?? "listed"): \($0.why)" }
    #expect(notes == [note])
  }

  /// Twenty pings each five minutes are what Smokeping takes, and each check says so.
  @Test(
    arguments: [
      ("", "5m", "20", ["step", "pings"]), ("step = 60\n", "1m", "20", ["pings"]),
      ("pings = 3\n", "5m", "3", ["step"]), ("step = 60\npings = 3\n", "1m", "3", []),
    ] as [(String, String, String, [String])])
  func whatNoDatabaseSays(step: String, interval: String, count: String, places: [String]) throws {
    let check = try check("FPing", "", step: step)
    #expect(check["interval"]?.word == interval && check["count"]?.word == count)
    #expect(check.notes.filter { $0.why.hasPrefix("*** Database") }.map(\.place) == places)
  }

  /// A run has sixty seconds at most: packets come closer together.
  @Test func aLongRun() throws {
    let check = try check("FPing", "pings = 100\nhostinterval = 2\ntimeout = 3")
    // (58 - 3) / 100
    #expect(check["packet_interval"]?.word == "550ms" && check["timeout"]?.word == "58s")
    #expect(check.notes.map(\.why) == ["packets are 550ms apart: a run has 60s at most"])
  }

  /// A target has what stands above it, and its own before that; a probe's value comes last. Host, title and
  /// menu are of one part alone.
  @Test func whatATargetInherits() throws {
    let made = try read(
      """
      probe = FPing
      + A
      pings = 3
      title = Top
      host = 192.0.2.1
      ++ B
      host = 192.0.2.2
      +++ C
      pings = 4
      host = 192.0.2.3
      ++ D
      menu = none
      """, probes: "+ FPing\npings = 7\npacketsize = 99\n")
    #expect(made.names == ["Top", "A B", "A B C"])
    #expect(made.imported.checks.map { $0["count"]?.word } == ["3", "3", "4"])
    #expect(made.imported.checks.map { $0["size"]?.word } == ["99", "99", "99"])
    #expect(made.imported.checks.map(\.tags) == [[], ["A"], ["A", "B"]])
  }

  @Test(arguments: [
    ("host = DYNAMIC", "its address is only known to Smokeping's server"),
    ("host = a~b", "its address is only known to Smokeping's server"),
    ("host = /A/B", "a graph of other targets"),
    ("host = a.example\nnomasterpoll = yes", "only slaves probe it"),
    ("host = a.example\nprobe = Radius", "no check here does what the probe Radius does"),
  ])
  func targetsWithoutACheck(lines: String, why: String) throws {
    let made = try read("probe = FPing\n+ A\n\(lines)\n")
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
  }
}
