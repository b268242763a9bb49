// SPDX-License-Identifier: MIT

import Import
import Testing

/// Command lines of the plugins of ports, names and echoes, each with the check that judges the same.
@Suite struct NagiosPortTests {
  /// Those of check_icmp, where none are given.
  private static let limits = """
    expect:
      rtt:
        warn: 200ms
        fail: 500ms
      loss:
        warn: 39.99%
        fail: 79.99%
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
          warn: 19.99%
          fail: 59.99%
      """
    ),
    (
      "check_icmp -H a.example -i 50",
      "type: ping\nhost: a.example\ncount: 5\npacket_interval: 50ms\n\(limits)"
    ),
    (
      "check_icmp -H a.example -i 30000us",
      "type: ping\nhost: a.example\ncount: 5\npacket_interval: 30ms\n\(limits)"
    ),
    (
      "check_icmp -H a.example -i 0.5s",
      "type: ping\nhost: a.example\ncount: 5\npacket_interval: 500ms\n\(limits)"
    ),
    (
      "check_icmp -H a.example -i 1ms",
      "type: ping\nhost: a.example\ncount: 5\npacket_interval: 10ms\n\(limits)"
    ),
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
}
