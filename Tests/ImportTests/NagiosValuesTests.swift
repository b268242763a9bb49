// SPDX-License-Identifier: MIT

import Import
import Testing

/// Numbers, defaults and limits of plugins, as their manuals have them.
@Suite struct NagiosValuesTests {
  private func check(_ call: String) throws -> ImportedCheck {
    try #require(try ReadSource(plugin: call).imported.checks.first, "\(call)")
  }

  private func listed(_ check: ImportedCheck) -> [String] { check.notes.filter(\.isValue).map(\.why) }

  /// Each plugin has its port, its protocol and whether it speaks TLS from the start.
  @Test(
    arguments: [
      ("check_ftp", 21, "ftp", false), ("check_imap", 143, "imap", false), ("check_pop", 110, "pop3", false),
      ("check_simap", 993, "imap", true), ("check_spop", 995, "pop3", true),
      ("check_ssmtp", 465, "smtp", true),
      ("check_smtp", 25, "smtp", false), ("check_smtp -s", 465, "smtp", true),
      ("check_ldap", 389, "ldap", false),
      ("check_ldap -S", 636, "ldap", true), ("check_ssh", 22, "ssh", false),
      ("check_pgsql", 5432, "postgres", false),
      ("check_mysql", 3306, "mysql", false), ("check_imap -S", 143, "imap", true),
    ] as [(String, Int, String, Bool)])
  func portsOfServices(call: String, port: Int, dialog: String, isTLS: Bool) throws {
    let check = try check(call)
    #expect(check["type"]?.word == "tcp" && check["host"]?.word == "192.0.2.1")
    #expect(check["port"]?.word == "\(port)" && check["dialog"]?.word == dialog)
    #expect((check["tls"] != nil) == isTLS && check["starttls"] == nil)
    // A port of its own counts, wherever it stands.
    let flag = call.contains("sql") ? "-P" : "-p"
    #expect(try self.check("\(call) \(flag) 7000")["port"]?.word == "7000")
  }

  /// A port is a number of 1 to 65535; another one is listed, and the usual one taken.
  @Test(
    arguments: [("0", nil), ("1", "1"), ("65535", "65535"), ("65536", nil), ("-1", nil), ("x", nil)]
      as [(String, String?)])
  func aPort(given: String, port: String?) throws {
    let check = try check("check_ftp -p \(given)")
    #expect(check["port"]?.word == port ?? "21")
    #expect(listed(check) == (port == nil ? ["-p is no whole number of 1 to 65535"] : []))
    // Without one of its own, a plugin cannot be.
    let none = try ReadSource(plugin: "check_tcp -p \(given)")
    #expect(none.imported.checks.map { $0["port"]?.word } == (port == nil ? [] : [port]))
  }

  /// A check lasts ten seconds at most where nothing else is said; a state behind it is none of its business.
  @Test(arguments: [
    ("", "10s"), ("-t 7", "7s"), ("-t 2:critical", "2s"), ("-t 60", "1m"), ("-t 90", "1m"),
    ("-t 5 -t 6", "6s"), ("--timeout=8", "8s"),
  ])
  func theTimeout(option: String, timeout: String) throws {
    #expect(try check("check_ssh \(option)")["timeout"]?.word == timeout)
  }

  /// A time is a limit where it can be reached: below the timeout. It is the end of a range from zero.
  @Test(
    arguments: [
      ("-w 1 -c 5", "1s", "5s"), ("-w 0.25", "250ms", nil), ("-c 9.999", nil, "9999ms"), ("-c 10", nil, nil),
      ("-c 15 -t 20", nil, "15s"), ("-c 20 -t 20", nil, nil), ("-w 0:3 -c :4", "3s", "4s"),
      ("-w 0.0004", "1ms", nil), ("-w 0.0016", "2ms", nil), ("-c 59.999 -t 90", nil, "59999ms"),
      ("-c 60 -t 90", nil, nil),
    ] as [(String, String?, String?)])
  func limitsOnTheTime(options: String, warn: String?, fail: String?) throws {
    for plugin in [
      "check_tcp -p 80", "check_ldap", "check_smtp", "check_pgsql", "check_dns -H a.example",
      "check_dig -l a.example", "check_http -H a.example -f follow", "check_imap",
    ] {
      let check = try check("\(plugin) \(options)")
      #expect(check["expect.response_time.warn"]?.word == warn, "\(plugin)")
      #expect(check["expect.response_time.fail"]?.word == fail, "\(plugin)")
      #expect(listed(check) == [], "\(plugin)")
    }
  }

  @Test(arguments: ["0", "-1", "5:", "x", "2:9"]) func noLongestTime(given: String) throws {
    let check = try check("check_tcp -p 80 '-w\(given)' -c 5")
    #expect(listed(check) == ["-w is no longest time"] && check["expect.response_time.warn"] == nil)
    #expect(check["expect.response_time.fail"]?.word == "5s")
  }

  /// A round trip in milliseconds and a loss in percent, from which on a plugin warns: here it is what may be lost.
  @Test(
    arguments: [
      ("-w 100,20%", "100ms", nil, "19.99%", nil), ("-w 100,20", "100ms", nil, "19.99%", nil),
      ("-c 0.5,100%", nil, "500us", nil, "100%"), ("-w 100,0%", "100ms", nil, nil, nil),
      ("-w 60000,5%", "10s", nil, "4.99%", nil), ("-w 60001,5%", nil, nil, "4.99%", nil),
      ("-w 1,2% -c 3,4%", "1ms", "3ms", "1.99%", "3.99%"),
    ] as [(String, String?, String?, String?, String?)])
  func roundTrips(options: String, warn: String?, fail: String?, lossWarn: String?, lossFail: String?) throws
  {
    for plugin in ["check_ping -H a.example", "check_fping -H a.example"] {
      let check = try check("\(plugin) \(options)")
      #expect(check["expect.rtt.warn"]?.word == warn, "\(plugin)")
      #expect(check["expect.rtt.fail"]?.word == fail, "\(plugin)")
      #expect(check["expect.loss.warn"]?.word == lossWarn, "\(plugin)")
      #expect(check["expect.loss.fail"]?.word == lossFail, "\(plugin)")
      #expect(listed(check) == [], "\(plugin)")
    }
  }

  /// check_icmp has limits of its own, and none of a warning comes after that of a failure.
  @Test(
    arguments: [
      ("", "200ms", "500ms", "39.99%", "79.99%"), ("-w 100,20%", "100ms", "500ms", "19.99%", "79.99%"),
      ("-c 300,50%", "200ms", "300ms", "39.99%", "49.99%"),
      ("-c 150,30%", "150ms", "150ms", "29.99%", "29.99%"),
      ("-c 150,50%", "150ms", "150ms", "39.99%", "49.99%"),
      ("-w 600,90%", "500ms", "500ms", "79.99%", "79.99%"),
      ("-w 1,2% -c 3,4%", "1ms", "3ms", "1.99%", "3.99%"),
      ("-w 30,4% -c 3,40%", "3ms", "3ms", "3.99%", "39.99%"),
      ("-c 60001,100%", "200ms", nil, "39.99%", "100%"),
      ("-w 200ms,40% -c 2s,80%", "200ms", "2s", "39.99%", "79.99%"),
      ("-w 1500us,10% -c 2m,20%", "1500us", "2ms", "9.99%", "19.99%"),
      ("-w 100 -c 1.5s", "100ms", "1500ms", "39.99%", "79.99%"),
    ] as [(String, String?, String?, String?, String?)])
  func limitsOfIcmp(options: String, warn: String?, fail: String?, lossWarn: String?, lossFail: String?)
    throws
  {
    let check = try check("check_icmp -H a.example \(options)")
    #expect(check["expect.rtt.warn"]?.word == warn && check["expect.rtt.fail"]?.word == fail)
    #expect(check["expect.loss.warn"]?.word == lossWarn && check["expect.loss.fail"]?.word == lossFail)
    #expect(listed(check) == [])
  }

  /// Words behind the options of check_icmp are further hosts, not limits.
  @Test func furtherHosts() throws {
    #expect(
      listed(try check("check_icmp -H a.example 1,2%")) == ["a word without an option has no counterpart"])
  }

  @Test(arguments: ["100", "0,5%", "-1,5%", "x,5%", "100,101%", "100,-1%", "100,x", "1,2,3"])
  func noRoundTrip(given: String) throws {
    let check = try check("check_ping -H a.example '-c\(given)'")
    #expect(listed(check) == ["-c is no round trip with a loss, such as 100.0,20%"])
    #expect(check["expect"] == nil)
  }

  /// Packets of a run: 5, of fping 1; and the largest that there may be.
  @Test(arguments: [
    ("check_ping", "p", 5), ("check_icmp", "n", 5), ("check_fping", "n", 1),
  ])
  func packets(plugin: String, flag: String, usual: Int) throws {
    for (given, count, isListed) in [
      ("", usual, false), ("-\(flag) 1", 1, false), ("-\(flag) 100", 100, false),
      ("-\(flag) 101", usual, true), ("-\(flag) 0", usual, true),
    ] {
      let check = try check("\(plugin) -H a.example \(given)")
      #expect(check["count"]?.word == "\(count)" && check["host"]?.word == "a.example")
      #expect(listed(check) == (isListed ? ["-\(flag) is no whole number of 1 to 100"] : []))
    }
  }

  @Test(
    arguments: [("0", "0"), ("56", "56"), ("1472", "1472"), ("1473", nil)] as [(String, String?)])
  func bytesOfAPacket(given: String, size: String?) throws {
    for plugin in ["check_icmp", "check_fping"] {
      let check = try check("\(plugin) -H a.example -b \(given)")
      #expect(check["size"]?.word == size)
      #expect(listed(check) == (size == nil ? ["-b is no whole number of 0 to 1472"] : []))
    }
  }

  /// Between 10 ms and 10 s there is a pause between packets: what is beyond is made the nearest, and said.
  @Test(
    arguments: [
      ("20s", "10s", "20000 is made 10000, the most there is"), ("10s", "10s", nil), ("10", "10ms", nil),
      ("9ms", "10ms", "9 is made 10, the least there is"), ("9600us", "10ms", nil), ("1.5s", "1500ms", nil),
      ("20m", "20ms", nil),
    ] as [(String, String, String?)])
  func pausesOfIcmp(given: String, pause: String, note: String?) throws {
    let check = try check("check_icmp -H a.example -i \(given)")
    #expect(check["packet_interval"]?.word == pause)
    #expect(check.notes.filter { $0.place == "-i" }.map(\.why) == [note].compactMap(\.self))
  }

  /// How many redirects are followed.
  @Test(
    arguments: [("0", "0"), ("1", "1"), ("20", "20"), ("21", nil), ("-1", nil)] as [(String, String?)])
  func redirects(given: String, most: String?) throws {
    let check = try check("check_http -H a.example -f follow --max-redirs=\(given)")
    #expect(check["max_redirects"]?.word == most)
    #expect(listed(check) == (most == nil ? ["--max-redirs is no whole number of 0 to 20"] : []))
  }
}
