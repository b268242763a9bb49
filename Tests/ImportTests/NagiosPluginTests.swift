// SPDX-License-Identifier: MIT

import Import
import Testing

/// Command lines of plugins, each with the check that judges the same.
@Suite struct NagiosPluginTests {
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
      "check_http -H a.example -e 'HTTP/1.1 30,HTTP/1.0 2'",
      """
      type: http
      url: http://a.example/
      follow: false
      expect:
        status: [300-309, 200-299]
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
