// SPDX-License-Identifier: MIT

import Import
import Testing

/// Options of plugins by their long names, as their manuals name them, and those that change what is printed alone.
@Suite struct NagiosOptionsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var call: String
    /// The option by its long name, and by its letter.
    var pairs: [(long: String, short: String)]
    var testDescription: String { call }
  }

  static let rows: [Row] = [
    Row(
      call: "check_http -H a.example -f follow",
      pairs: [
        ("--hostname=b.example", "-H b.example"), ("--IP-address=192.0.2.9", "-I 192.0.2.9"),
        ("--port=81", "-p 81"),
        ("--ssl", "-S"), ("--ssl=1.2+", "-S1.2+"), ("--url=/x", "-u /x"), ("--post=a", "-P a"),
        ("--method=PUT", "-j PUT"), ("--no-body", "-N"), ("--content-type=b -P a", "-T b -P a"),
        ("--linespan -r x", "-l -r x"), ("--regex=x", "-r x"), ("--ereg=x", "-r x"), ("--eregi=x", "-R x"),
        ("--authorization=u:p", "-a u:p"), ("--useragent=x", "-A x"), ("--header=X-A:1", "-k X-A:1"),
        ("--onredirect=ok", "-f ok"), ("--certificate=9", "-C 9"), ("--client-cert=/c -S", "-J /c -S"),
        ("--private-key=/k -S", "-K /k -S"), ("--header-string=A:b", "-d A:b"), ("--string=x", "-s x"),
        ("--expect=204", "-e 204"), ("--warning=1", "-w 1"), ("--critical=2", "-c 2"), ("--use-ipv4", "-4"),
        ("--use-ipv6", "-6"), ("--proxy=http://p.example:3128", "-x http://p.example:3128"),
        ("--verify-cert -S", "-D -S"),
      ]),
    Row(
      call: "check_tcp -H a.example -p 80",
      pairs: [
        ("--port=81", "-p 81"), ("--send=x", "-s x"), ("--quit=z -E", "-q z -E"), ("--ssl", "-S"),
        ("--certificate=9", "-D 9"), ("--warning=1", "-w 1"), ("--critical=2", "-c 2"),
        ("--escape -s 'a\\n'", "-E -s 'a\\n'"), ("--expect=x --mismatch=crit", "-e x -M crit"),
      ]),
    Row(
      call: "check_smtp -H a.example",
      pairs: [
        ("--port=26", "-p 26"), ("--ssl", "-s"), ("--tls", "-s"), ("--starttls", "-S"),
        ("--certificate=9 -S", "-D 9 -S"), ("--warning=1", "-w 1"), ("--critical=2", "-c 2"),
      ]),
    Row(
      call: "check_ldap -H a.example",
      pairs: [
        ("--starttls", "-T"), ("--ssl", "-S"), ("--port=1", "-p 1"), ("--warn=1", "-w 1"),
        ("--crit=2", "-c 2"),
      ]),
    Row(call: "check_pgsql -H a.example", pairs: [("--port=1", "-P 1"), ("--warning=1", "-w 1")]),
    Row(call: "check_mysql -H a.example", pairs: [("--port=1", "-P 1")]),
    Row(call: "check_ssh -H a.example", pairs: [("--port=1", "-p 1"), ("--host=b.example", "-H b.example")]),
    Row(
      call: "check_ping -H a.example",
      pairs: [("--packets=3", "-p 3"), ("--warning=9,1%", "-w 9,1%"), ("--critical=9,1%", "-c 9,1%")]),
    Row(
      call: "check_fping -H a.example",
      pairs: [("--number=3", "-n 3"), ("--bytes=9", "-b 9"), ("--sourceip=192.0.2.9", "-S 192.0.2.9")]),
    Row(
      call: "check_dns -H a.example -s 192.0.2.53",
      pairs: [
        ("--server=192.0.2.54", "-s 192.0.2.54"), ("--querytype=MX", "-q MX"),
        ("--expected-address=192.0.2.9", "-a 192.0.2.9"), ("--expect-nxdomain", "-n"),
        ("--expect-authority", "-A"), ("--all -a 192.0.2.9", "-L -a 192.0.2.9"),
      ]),
    Row(
      call: "check_dig -H 192.0.2.53 -l a.example",
      pairs: [
        ("--query_address=b.example", "-l b.example"), ("--record_type=MX", "-T MX"),
        ("--expected_address=x", "-a x"), ("--port=54", "-p 54"),
      ]),
    Row(
      call: "check_ssl_cert -H a.example",
      pairs: [
        ("--host=b.example", "-H b.example"), ("--port=1", "-p 1"), ("--protocol=smtp", "-P smtp"),
        ("--cn=b.example", "-n b.example"), ("--selfsigned", "-s"), ("--noauth", "-A"),
        ("--rootcert=/c", "-r /c"), ("--warning=30", "-w 30"), ("--critical=5", "-c 5"),
        ("--sni=b.example -n b.example", "-n b.example --sni b.example"),
        ("--match=b.example", "-m b.example"),
      ]),
  ]

  @Test(arguments: NagiosOptionsTests.rows) func aLongNameIsItsLetter(row: Row) throws {
    let plain = try ReadSource(plugin: row.call)
    #expect(plain.names == ["h s"])
    for (long, short) in row.pairs {
      let (one, other) = (
        try ReadSource(plugin: "\(row.call) \(long)"), try ReadSource(plugin: "\(row.call) \(short)")
      )
      #expect(try one.keys() == other.keys(), "\(long)")
      #expect(try other.keys() != plain.keys(), "\(short)")
      #expect(one.reasons == other.reasons, "\(long)")
    }
  }

  /// Of check_curl and check_http: what is printed, and what every check does anyway.
  @Test(arguments: [
    (
      "check_http -H a.example -f follow",
      [
        "-v", "-vvv", "-E", "-B", "-L", "-n", "-U", "--sni", "--extended-perfdata", "--show-body", "--link",
        "--nohtml", "--verbose", "--output-format=x",
      ]
    ),
    ("check_tcp -H a.example -p 80", ["-v", "-j", "-d 2", "-m 5", "--jail", "--delay=2", "--maxbytes=5"]),
    ("check_smtp -H a.example", ["-v", "-q", "--ignore-quit-failure"]),
    ("check_ldap -H a.example", ["-v", "-2", "-3", "--ver2", "--ver3"]),
    ("check_mysql -H a.example", ["-v", "-n", "--ignore-auth"]),
    ("check_fping -H a.example", ["-v", "-R", "-i 20", "--random", "--interval=20"]),
    ("check_icmp -H a.example", ["-v", "-I 80ms"]),
    ("check_ping -H a.example", ["-v", "-n", "-L", "--link"]),
    ("check_dns -H a.example", ["-v"]), ("check_dig -H a.example -l b.example", ["-v"]),
    ("check_ssl_cert -H a.example", ["-v", "-N", "--host-cn"]), ("check_pgsql -H a.example", ["-v"]),
    ("check_ssh -H a.example", ["-v"]),
  ])
  func whatIsPrintedIsNoCondition(call: String, options: [String]) throws {
    let plain = try ReadSource(plugin: call)
    for option in options {
      let made = try ReadSource(plugin: "\(call) \(option)")
      #expect(try made.keys() == plain.keys(), "\(option)")
      #expect(made.reasons == plain.reasons, "\(option)")
      #expect(made.imported.listed == plain.imported.listed, "\(option)")
    }
  }

  /// As getopt reads: letters together, a value at its letter or behind it, a name that is cut, the last of
  /// several, and nothing but words behind two dashes.
  @Test(arguments: [
    ("-p 80", "80"), ("-p80", "80"), ("-vp80", "80"), ("-vvp 80", "80"), ("--port 80", "80"),
    ("--port=80", "80"),
    ("--por=80", "80"), ("-p 1 -p 80", "80"), ("--port=1 -p 80", "80"), ("-p 80 --", "80"),
    ("-4p80", "80"), ("-p '80'", "80"), ("-p \"80\"", "80"), ("-p 8\\0", "80"),
  ])
  func asGetoptReads(options: String, port: String) throws {
    let made = try ReadSource(plugin: "check_tcp -H a.example \(options)")
    let check = try #require(made.imported.checks.first)
    #expect(check["port"]?.word == port && check["host"]?.word == "a.example")
    #expect(check["ip"]?.word == (options.contains("4p") ? "4" : nil))
    #expect(check.notes.filter { $0.isValue } == [])
  }

  /// What begins two names is none of them, and an option that the plugin lacks is listed with what stands behind it.
  @Test(arguments: [
    ("check_http -H a.example -f follow --st=x", ["--st is no option of the plugin"]),
    ("check_http -H a.example -f follow -Zx", ["-Z is no option of the plugin"]),
    ("check_ssh -H a.example -w5", ["-w is no option of the plugin"]),
    ("check_tcp -H a.example -p 80 -- b.example", ["a word without an option has no counterpart"]),
    ("check_tcp -H a.example -p 80 b.example", ["a word without an option has no counterpart"]),
    ("check_tcp -p 80 -- b.example", []),
  ])
  func whatIsNoOption(call: String, words: [String]) throws {
    let check = try #require(try ReadSource(plugin: call).imported.checks.first)
    let listed = check.notes.filter { $0.isValue }
    #expect(listed.map(\.why) == (words.isEmpty ? [] : [words.joined(separator: "; ")]))
    #expect(listed.map(\.change) == (words.isEmpty ? [] : [.changed]))
    if words.isEmpty { #expect(check["host"]?.word == "b.example") }
  }

  /// A condition that no check has makes it laxer, one that is met more seldom stricter, anything else changes
  /// it; of several the first of these is said.
  @Test(
    arguments: [
      ("check_http -H a.example -f follow -m 5", "laxer"),
      ("check_http -H a.example -f follow -M 5m", "laxer"),
      ("check_http -H a.example -f follow -b u:p", "changed"),
      ("check_http -H a.example -f follow -b u:p -m 5", "laxer"),
      ("check_http -H a.example -f follow --state-regex=ok", "changed"),
      ("check_http -H a.example -f follow --timeout-result=ok", "changed"),
      ("check_http -H a.example -f follow -d nothing", "laxer"),
      ("check_http -H a.example -f follow -S2", "laxer"), ("check_http -H a.example -f follow -S3", "laxer"),
      ("check_http -H a.example -f follow -j GET:POST", "changed"),
      ("check_http -H a.example -f follow -k nothing", "changed"),
      ("check_http -H a.example -e nothing", "laxer"),
      ("check_tcp -p 80 -e a -e b -A -M crit", "laxer"), ("check_tcp -p 80 -r ok", "stricter"),
      ("check_tcp -p 80 -r warn", "stricter"), ("check_tcp -p 80 -r crit", nil),
      ("check_tcp -p 80 -C 5", "changed"), ("check_tcp -p 80 -W 5", "changed"),
      ("check_smtp -A LOGIN", "laxer"), ("check_smtp -U u", "laxer"), ("check_smtp -P p", "laxer"),
      ("check_smtp -C EXPN", "laxer"), ("check_smtp -R 250", "laxer"), ("check_smtp -F a.example", "changed"),
      ("check_smtp --extra-opts=a@/etc/p.ini", "changed"), ("check_smtp -f a@b", "changed"),
      ("check_smtp -L", "changed"), ("check_smtp -e 221", "changed"),
      ("check_smtp -e 220", nil), ("check_ldap -b dc=a", "changed"), ("check_mysql -S", "changed"),
      ("check_mysql -w 5", "changed"), ("check_pgsql -q x", "changed"), ("check_fping -T 5", "changed"),
      ("check_fping -a", "changed"), ("check_icmp -m 1", "changed"), ("check_icmp -l 9", "changed"),
      ("check_dns -H a.example -a 192.0.2.0/24", "laxer"),
      ("check_dig -l a.example -A +tcp", "changed"), ("check_ssl_cert -f /x", "changed"),
      ("check_ssh -r OpenSSH_9", "laxer"), ("check_ssh -P 2.0", "laxer"),
      ("check_ssl_cert -i x", "laxer"), ("check_ssl_cert -o x", "laxer"), ("check_ssl_cert -e x", "laxer"),
      ("check_ssl_cert -n a --sni b", "changed"), ("check_ssl_cert -n a --sni a", nil),
      ("check_http -H a.example -f follow -S --verify-host", "laxer"),
      ("check_ssl_cert --ignore-ocsp", "changed"),
    ] as [(String, String?)])
  func whatAnOptionThatIsLostChanges(call: String, change: String?) throws {
    let check = try #require(try ReadSource(plugin: call).imported.checks.first)
    #expect(
      check.notes.filter { $0.isValue }.map { $0.change?.rawValue } == (change == nil ? [] : [change]),
      "\(check.notes.map(\.line))")
  }
}
