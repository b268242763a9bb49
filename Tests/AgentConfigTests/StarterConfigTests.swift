// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// What `init` writes is a configuration that needs no second look before it runs.
struct StarterConfigTests {
  @Test func everyKindOfTargetMakesACheck() throws {
    let starter = StarterConfig(
      targets: [
        "https://shop.example/health", "db.example:5432", "tls://mail.example:25?starttls=smtp",
        "dns://192.0.2.53/example.com?type=MX", "ping://192.0.2.1", "192.0.2.2", "shop.example",
        "db.example:5432", "https://a.example/${file:/etc/shadow}",
      ], interval: .seconds(5), listen: "127.0.0.1:9797")
    let text = try starter.text(patterns: .unchecked)
    let settings = try settings(text)
    #expect(settings.checks.map(\.type) == [.http, .tcp, .tls, .dns, .ping, .ping, .http, .http])
    #expect(settings.checks.allSatisfy { $0.interval == .seconds(5) && $0.timeout == .seconds(5) })
    #expect(settings.status.listen == .tcp(host: "127.0.0.1", port: 9797))
  }

  /// With every comment of a setting switched on it still is one.
  @Test func commentsAreSettings() throws {
    let text = try StarterConfig(targets: ["https://a.example/", "a:1", "tls://a", "ping://a"]).text(
      patterns: .unchecked)
    let switched = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let bare = line.drop { $0 == " " }
      guard bare.hasPrefix("# ") else {
        return String(line)
      }
      return String(line.prefix(line.count - bare.count)) + String(bare.dropFirst(2))
    }.joined(separator: "\n")
    guard
      case .http(let http)? = try settings(switched).checks.first?.kind
    else {
      Issue.record("no http check")
      return
    }
    #expect(http.expect.bodyContains == ["ok"])
  }

  @Test(arguments: ["ftp://a", "tcp://a", "dns://a", "https://"])
  func whatIsNoTargetIsTold(target: String) {
    #expect(throws: AdHocTargetError.self) {
      try StarterConfig(targets: [target]).text(patterns: .unchecked)
    }
  }

  /// What a word on the command line of `init` stands for.
  @Test(arguments: [
    ("a.example", "https://a.example"), ("a.example/b", "https://a.example/b"),
    ("192.0.2.1", "ping://192.0.2.1"), ("2001:db8::1", "ping://2001:db8::1"),
    ("a.example:1", "tcp://a.example:1"), ("[::1]:22", "tcp://[::1]:22"),
    ("192.0.2.1:80", "tcp://192.0.2.1:80"), ("a:0", "https://a:0"), ("tls://a", "tls://a"),
  ])
  func targetsOfWords(word: String, target: String) {
    #expect(StarterConfig.target(of: word) == target)
  }

  /// The whole file, with a page for all and with one for this machine.
  @Test func aFirstFile() throws {
    let text = try StarterConfig(
      targets: ["https://a.example/#top", "https://a.example/#end", "dns:///b?type=mx", "tcp://c:1?tls=true"]
    ).text(patterns: .unchecked)
    #expect(
      text == """
        ## Written by quartz-agent init. All keys: man agent.yaml, or docs/configuration.md.
        ## After a change: quartz-agent validate -c FILE; a running agent reads it by itself.

        agent:
          ## Where results and history are kept; relative to this file.
          state_dir: ./state

        ## The page. Without an address only `quartz-agent status` reads it, over a socket.
        # status: {listen: 127.0.0.1:9797}

        ## Default values of every check.
        defaults:
          interval: 1m
          timeout: 10s
          ## Attempts after one that failed, before it counts.
          retries: 1

        ## Notification channels; see docs/alerts.md.
        # alerts:
        #   channels: [{name: ops, webhook: "https://chat.example/hook"}]

        checks:
          - name: "https://a.example/"
            type: http
            url: "https://a.example/#top"
            # expect:
            #   status: [200]
            #   body: {contains: ok}
            #   response_time: {warn: 800ms, fail: 3s}
            #   certificate: {warn: 21d, fail: 5d}

          - name: "dns:///b MX"
            type: dns
            query: {name: "b", type: "mx"}
            # expect: {answers: {any: [192.0.2.10]}}

          - name: "tcp://c:1"
            type: tcp
            host: "c"
            port: 1
            tls: true
            # expect: {response_time: {warn: 100ms}}


        """)
    let listening = try StarterConfig(targets: ["ping://a"], interval: .seconds(10), listen: "[::1]:1")
      .text(patterns: .unchecked)
    #expect(
      listening.contains(
        """
          state_dir: ./state

        ## The page and the API. An address that other machines reach needs a token, see docs/status.md.
        status:
          listen: "[::1]:1"

        ## Default values of every check.
        defaults:
          interval: 10s
          timeout: 10s

        """))
    #expect(
      listening.hasSuffix(
        """
          - name: "ping://a"
            type: ping
            host: "a"
            # expect: {loss: {warn: 10%, fail: 50%}}


        """))
  }

  /// Of several targets the one that is wrong is named.
  @Test(arguments: [
    (["a.example", "b.example:99999"], "https://b.example:99999: url "),
    (["a.example", "c d"], "https://c d: url "),
  ])
  func theWrongTargetIsNamed(targets: [String], words: String) throws {
    let error = try #require(throws: AdHocTargetError.self) {
      try StarterConfig(targets: targets).text(patterns: .unchecked)
    }
    #expect(error.message.hasPrefix(words), "\(error.message)")
  }

  /// Who writes an address that is none is told by the loader's words.
  @Test func aFirstFileIsJudged() throws {
    let error = try #require(throws: AdHocTargetError.self) {
      try StarterConfig(targets: ["ping://a"], listen: "x").text(patterns: .unchecked)
    }
    #expect(error.message == "status.listen must be off, host:port or unix:PATH, found \"x\"")
    #expect(error.hint == "such as 127.0.0.1:9797")
  }
}
