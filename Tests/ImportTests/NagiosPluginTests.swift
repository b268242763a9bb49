// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Command lines of plugins, each with the check that judges the same.
@Suite struct NagiosPluginTests {
  /// Those of check_icmp, where none are given.
  private static let limits = """
    expect:
      rtt:
        warn: 200ms
        fail: 500ms
      loss:
        warn: 40%
        fail: 80%
    """

  @Test(arguments: [
    ("check_tcp -p 80", "type: tcp\nhost: \"192.0.2.1\"\nport: 80"),
    ("check_tcp -H a.example -p 443 -S", "type: tcp\nhost: a.example\nport: 443\ntls:\n  verify: false"),
    (
      "check_tcp -p 1 -D 30,7",
      """
      type: tls
      host: "192.0.2.1"
      port: 1
      expect:
        certificate:
          warn: 30d
          fail: 7d
      tls:
        verify: false
      """
    ),
    (
      "check_tcp -p 1 -E -s 'PING\\r\\n' -e +PONG -e -ERR -q 'QUIT\\n' -M crit",
      """
      type: tcp
      host: "192.0.2.1"
      port: 1
      dialog: [{send: "PING\\\\r\\\\n"}, {expect: "~ (?:\\\\+PONG|-ERR)"}, {send: "QUIT\\\\n"}]
      """
    ),
    ("check_tcp -p 1 -s 'a\\n'", "type: tcp\nhost: \"192.0.2.1\"\nport: 1\ndialog: [{send: \"a\\\\\\\\n\"}]"),
    (
      "check_tcp -p 1 -s 'a\\n' -E -q 'b\\n\\x\\\\'",
      """
      type: tcp
      host: "192.0.2.1"
      port: 1
      dialog: [{send: "a\\\\\\\\n"}, {send: "b\\\\nx\\\\\\\\"}]
      """
    ),
    (
      "check_tcp -p 1 -s a -q b -E",
      """
      type: tcp
      host: "192.0.2.1"
      port: 1
      dialog: [{send: a}, {send: "b\\\\r\\\\n"}]
      """
    ),
    (
      "check_tcp -p 1 -e a -q 'b\\t'",
      """
      type: tcp
      host: "192.0.2.1"
      port: 1
      dialog: [{expect: "~ (?:a)"}, {send: "b\\\\\\\\t\\\\r\\\\n"}]
      """
    ),
    ("check_ssh gw.example 2222", "type: tcp\nhost: gw.example\nport: 2222\ndialog: ssh"),
    (
      "check_smtp -S",
      """
      type: tcp
      host: "192.0.2.1"
      port: 25
      dialog: smtp
      starttls: smtp
      tls:
        verify: false
      """
    ),
    (
      "check_simap",
      """
      type: tcp
      host: "192.0.2.1"
      port: 993
      tls:
        verify: false
      dialog: imap
      """
    ),
    (
      "check_ping -H a.example -w 100.5,20% -c 500,60% -p 3",
      """
      type: ping
      host: a.example
      count: 3
      expect:
        rtt:
          warn: 100500us
          fail: 500ms
        loss:
          warn: 20%
          fail: 60%
      """
    ),
    ("check_icmp -H a.example -i 50", "type: ping\nhost: a.example\ncount: 5\npacket_interval: 50ms\n\(limits)"),
    (
      "check_icmp -H a.example -i 30000us",
      "type: ping\nhost: a.example\ncount: 5\npacket_interval: 30ms\n\(limits)"
    ),
    (
      "check_icmp -H a.example -i 0.5s",
      "type: ping\nhost: a.example\ncount: 5\npacket_interval: 500ms\n\(limits)"
    ),
    ("check_icmp -H a.example -i 1ms", "type: ping\nhost: a.example\ncount: 5\npacket_interval: 10ms\n\(limits)"),
    (
      "check_icmp -s 192.0.2.9 -n 2 -b 100 gw.example",
      """
      type: ping
      host: gw.example
      count: 2
      source_address: "192.0.2.9"
      size: 100
      \(limits)
      """
    ),
    (
      "check_dns -H a.example -s 192.0.2.53 -a 192.0.2.2,192.0.2.3 -L -A",
      """
      type: dns
      server: "192.0.2.53"
      query:
        name: a.example
      expect:
        answers:
          exact: ["192.0.2.2", "192.0.2.3"]
        authoritative: true
      """
    ),
    (
      "check_dns 192.0.2.7",
      "type: dns\nquery:\n  name: \"7.2.0.192.in-addr.arpa\"\n  type: PTR\nexpect:\n  count: \">= 1\""
    ),
    (
      "check_dig -H 192.0.2.53 -l a.example -T MX -a mx1.example. -p 5353",
      """
      type: dns
      server: "192.0.2.53:5353"
      query:
        name: a.example
        type: MX
      expect:
        answers:
          any: ["~ (?i)mx1\\\\.example\\\\."]
      """
    ),
    (
      "check_dig -H 2001:db8::53 -l a.example -p 5353",
      "type: dns\nserver: \"[2001:db8::53]:5353\"\nquery:\n  name: a.example\nexpect:\n  count: \">= 1\""
    ),
    (
      "check_dig -H 2001:db8::53 -l a.example",
      "type: dns\nserver: \"2001:db8::53\"\nquery:\n  name: a.example\nexpect:\n  count: \">= 1\""
    ),
    ("negate /p/check_tcp -p 22", "type: tcp\nhost: \"192.0.2.1\"\nport: 22\nnegate: true"),
    (
      "check_ldap -T -4", "type: tcp\nhost: \"192.0.2.1\"\nport: 389\ndialog: ldap\nstarttls: ldap\nip: \"4\""
    ),
    ("check_pgsql -H db -P 5433", "type: tcp\nhost: db\nport: 5433\ndialog: postgres"),
  ])
  func portsAndNames(line: String, keys: String) throws {
    let made = try ReadSource(plugin: line)
    #expect(try made.keys() == keys)
    #expect(made.problems == [])
  }

  private static let well = "expect:\n  status: [200-399]"

  @Test(arguments: [
    ("check_http -H a.example -u /x", "type: http\nurl: http://a.example/x\nfollow: false\n\(well)"),
    ("check_http a.example -f follow", "type: http\nurl: http://a.example/"),
    (
      "check_http -I 192.0.2.9 -H a.example -S -p 8443 -f follow",
      """
      type: http
      url: https://192.0.2.9:8443/
      headers:
        Host: "a.example:8443"
      tls:
        server_name: a.example
        verify: false
      """
    ),
    (
      "check_http -I 192.0.2.9 -H a.example:8080 -f follow",
      "type: http\nurl: http://192.0.2.9:8080/\nheaders:\n  Host: \"a.example:8080\""
    ),
    ("check_http -H a.example:8080 -f follow", "type: http\nurl: http://a.example:8080/"),
    (
      "check_http -H a.example:8080 -p 80 -f follow",
      "type: http\nurl: http://a.example:80/\nheaders:\n  Host: \"a.example:8080\""
    ),
    (
      "check_http -I 192.0.2.9 -H a.example -k 'Host: b.example' -f follow",
      "type: http\nurl: http://192.0.2.9/\nheaders:\n  Host: b.example"
    ),
    (
      "check_curl -H a.example -S1.2+ -D -f follow",
      """
      type: http
      url: https://a.example/
      tls:
        min_version: "1.2"
      """
    ),
    (
      "check_http -H a.example -C 21,5 --sni",
      """
      type: tls
      host: a.example
      port: 443
      expect:
        certificate:
          warn: 21d
          fail: 5d
      tls:
        verify: false
      """
    ),
    (
      "check_http -H a.example -e 'HTTP/1.1 200 OK,301' -w 0.5 -c 2",
      """
      type: http
      url: http://a.example/
      expect:
        response_time:
          warn: 500ms
          fail: 2s
        status: [200, 301]
      follow: false
      """
    ),
    (
      "check_http -H a.example -e HTTP/1. -w 20",
      """
      type: http
      url: http://a.example/
      follow: false
      expect:
        status: any
      """
    ),
    (
      "check_http -H a.example -f follow -s ok -r '^up$' --invert-regex",
      """
      type: http
      url: http://a.example/
      expect:
        body:
          contains: ok
          not_matches: "^up$"
      """
    ),
    (
      "check_http -H a.example -f follow -lR a.b -d 'Server: nginx/1'",
      """
      type: http
      url: http://a.example/
      expect:
        body:
          matches: "(?i)(?s-m)a.b"
        header:
          Server: "~ ^nginx/1"
      """
    ),
    (
      "check_http -H a.example -f follow -P 'a=%20b' -k 'X-A: b: c'",
      """
      type: http
      url: http://a.example/
      method: POST
      body: "a=%20b"
      headers:
        Content-Type: application/x-www-form-urlencoded
        X-A: "b: c"
      """
    ),
  ])
  func pages(line: String, keys: String) throws {
    let made = try ReadSource(plugin: line)
    #expect(try made.keys() == keys)
    #expect(made.problems == [])
  }

  @Test(arguments: [
    (
      "check_http -H a.example -m 100:2000 -M 5m",
      [
        "-m has no counterpart: the size of a page is not judged; "
          + "-M has no counterpart: the age of a page is not judged"
      ]
    ),
    (
      "check_http -H a.example -d nginx",
      ["-d names no header; a condition is on one header"]
    ),
    ("check_http -H a.example -e OK", ["-e has a text that is no code; a status is judged by its code"]),
    (
      "check_fping -H a.example -T 500",
      ["-T has no counterpart: the packets of a run share its timeout"]
    ),
    (
      "check_smtp -H a.example -F mail.example",
      ["-F has no counterpart: the agent greets with its own name"]
    ),
    ("check_icmp -H a.example -i often", ["-i is no time, such as 80ms"]),
    ("check_tcp -p 1 --zzz=hunter2", ["--zzz is no option of the plugin"]),
    ("check_nrpe -H a -c check_disk", ["no check here does what \"check_nrpe\" does"]),
    ("check_tcp -p 1 | tail", ["its command line needs a shell"]),
    ("check_http -H a.example -u x", ["the plugin lacks what a check needs"]),
    ("check_tcp -p $_HOSTPORT$", ["the macro $_HOSTPORT$ has no value in the files given"]),
    ("check_http -H $SERVICESTATE$", ["the macro $SERVICESTATE$ has no value in the files given"]),
  ])
  func whatIsNotCarriedIsListed(line: String, reasons: [String]) throws {
    let made = try ReadSource(plugin: line)
    let others = [
      "a command that no", "a status", "no check was made of it", "another greeting",
    ]
    #expect(made.reasons.filter { reason in !others.contains { reason.hasPrefix($0) } } == reasons)
    if !made.names.isEmpty { #expect(made.problems == []) }
  }

  /// Who logs in is verified, although the plugin would not.
  @Test func credentialsNeedVerification() throws {
    let made = try ReadSource(plugin: "check_http -H a.example -S -a me:hunter2 -f follow")
    #expect(try made.keys().contains("verify") == false && !made.text.contains("hunter2"))
    #expect(made.reasons.contains { $0.hasSuffix("because it sends credentials") })
    #expect(made.problems == [])
  }
}
