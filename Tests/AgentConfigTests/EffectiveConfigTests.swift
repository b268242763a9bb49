// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Monitoring
import Testing

/// `validate --print`: what is in force, as a configuration.
struct EffectiveConfigTests {
  /// Who logs in at a proxy, and with what, is nobody's business.
  @Test func theLoginOfAProxyIsNotPrinted() throws {
    let text = """
      checks:
        - {name: A, type: http, url: "https://a.example/", proxy: "http://somebody:hunter3@p.example:8080"}

      """
    let printed = EffectiveConfig.print(try settings(text))
    #expect(printed.contains("redacted:redacted@p.example:8080"))
    #expect(!printed.contains("somebody") && !printed.contains("hunter3"))
  }

  /// Printed, read and printed again, everything is the same: every key parses and no default moved.
  @Test(arguments: goodConfigs)
  func readsBack(config: GoodConfig) throws {
    let settings = try settings(config.text)
    let printed = EffectiveConfig.print(settings)
    let again: Settings
    do throws(ConfigErrors) {
      again = try ConfigLoader.parse(text: printed, file: "agent.yaml", sources: .test).settings
    } catch {
      Issue.record("\(error)\n\(printed)")
      return
    }
    #expect(EffectiveConfig.print(again) == printed)
    if !config.hasSecrets { #expect(again == settings) }
    #expect(!printed.contains("hunter2"))
  }

  @Test func printsDefaults() throws {
    #expect(
      EffectiveConfig.print(try settings(oneCheck)) == """
        agent:
          name: "test-host"
          state_dir: "/var/lib/quartz-agent"
        status:
          listen: "unix:/var/lib/quartz-agent/agent.sock"
        metrics:
          labels: []
        limits:
          in_flight: auto
          in_flight_per_host: 8
          remote_checks: 2000
          remote_interval_min: 10s
          destinations: 500
        defaults:
          interval: 1m
          timeout: 10s
          retries: 1
          retry_delay: 2s
        spool:
          size: 256MiB
          durability: always
        egress:
          mode: default
          allow: []
          deny: []
          ports: [80, 443, 8080, 8443]
          methods: ["GET", "HEAD"]
        trace:
          on_failure: true
          slow_factor: 3
          good_every: 1d
          at_once: 4
          every: 5m
          api_checks: false
          names: true
        checks:
          - name: "Shop front"
            id: "e8695924-c804-5d61-b8e5-290b1d8e600a"
            type: http
            enabled: true
            post: false
            interval: 1m
            timeout: 10s
            retries: 1
            retry_delay: 2s
            confirm_delay: 0s
            failure_threshold: 1
            strict_downtime: false
            trace: true
            ip: "any"
            addresses: any
            negate: false
            url: "https://shop.example/"
            method: "GET"
            follow: true
            max_redirects: 10
            allow_downgrade: false
            http_version: "auto"
            decompress: true
            max_body: 1MiB
            tls:
              verify: true
              min_version: "1.2"
            expect:
              status: ["200-299"]
              body:
                bytes: false

        """)
  }

  @Test func secretsAreRedacted() throws {
    let secrets = try #require(goodConfigs.first { $0.testDescription == "secrets" })
    let printed = EffectiveConfig.print(try settings(secrets.text))
    for key in ["api_key", "password", "bearer", "body", "\"X-Key\""] {
      #expect(printed.contains("\(key): \"<redacted>\""), "\(key)")
    }
    #expect(printed.contains("url: \"https://a.example/%3Credacted%3E?%3Credacted%3E\""))
  }

  /// The example with everything in it switched on.
  @Test func exampleReadsBack() throws {
    let text = switchedOn(try String(contentsOfFile: ConfigLoaderTests.example, encoding: .utf8))
    let settings = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: exampleSources).settings
    let printed = EffectiveConfig.print(settings)
    let again = try ConfigLoader.parse(text: printed, file: "agent.yaml", sources: exampleSources).settings
    #expect(EffectiveConfig.print(again) == printed)
    #expect(again.checks.map(\.id) == settings.checks.map(\.id))
  }
}

struct GoodConfig: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var hasSecrets = false
  var text: String
}

/// Right configurations, for whatever must hold for every one of them.
let goodConfigs: [GoodConfig] = [
  GoodConfig(testDescription: "one check", text: oneCheck),
  GoodConfig(
    testDescription: "public pages",
    text: """
      status:
        listen: 127.0.0.1:9797
        public:
          listen: 127.0.0.1:9898
          groups: [{tag: web, title: The web}, db]
          color: "#0F766E"
          language: ja
          announce: 2h
          maintenance_names: true
          links: [{title: Help, url: "https://a.example/?a=1#b"}]
          imprint: https://a.example/imprint
          footer: "Example & Co: #1"
          pages: [{name: shop, title: Shop, groups: [web]}, {name: db-2, title: "2", groups: [{tag: db, title: Data}]}]
      checks:
        - {name: A, type: ping, host: a, tags: [web, db]}

      """),
  GoodConfig(
    testDescription: "strange texts",
    text: #"""
      agent: {name: "$${env:X} $${file:y} $ \" \\ 'é' 🙂", region: "no"}
      checks:
        - name: "# not a comment: [x] {y} & * ! | > % @ `"
          type: http
          url: https://a.example/?q=$${x}&r=%20
          expect:
            body: {contains: ["line\nbreak\ttab", "null", "~", "$${cred:x}", "\u2028\u0001"], not_contains: "true"}
        - {name: "null", type: tcp, host: "no", port: 1}
      """#),
  GoodConfig(
    testDescription: "every section",
    text: """
      agent: {name: london-1, region: eu-west, state_dir: /srv/state}
      status: {listen: "[::1]:9797"}
      limits: {in_flight: 100, in_flight_per_host: 3, remote_checks: 10, remote_interval_min: 90s}
      defaults: {interval: 30s, timeout: 1500ms, retries: 0, retry_delay: 0s}
      spool: {size: 65537KiB, durability: interval}
      egress:
        mode: allowlist_only
        allow: [10.0.0.0/8, "10.1.0.0/16:443", "[2001:db8::/32]:443", "::1"]
        deny: [10.9.9.9]
        ports: []
      checks: [{name: A, type: ping, host: a.example}]
      """),
  GoodConfig(
    testDescription: "every check",
    text: """
      checks:
        - name: H
          id: 0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d
          type: http
          enabled: false
          post: true
          resource: 5a2f3c1e-0b7d-4c36-9a58-2f1e6d7c8b90
          tags: [a, "b c"]
          url: http://a.example:8080/x
          method: PROPFIND
          follow: false
          max_body: 3B
          read_body: true
          confirm_delay: 1500us
          ip: 6
          expect: {status: [204, 300-399], response_time: {warn: 1ms, fail: 10s}}
        - name: S
          type: http
          url: https://a.example/
          read_body: false
          tls: {ca_file: /etc/ca.pem, server_name: b.example}
          expect: {status: any, certificate: {warn: 30d}}
        - {name: V, type: http, url: "http://a.example/", tls: {verify: false}, allow_downgrade: true}
        - {name: T, type: tcp, host: "::1", port: 65535, retries: 0, expect: {response_time: {fail: 1s}}}
        - {name: L, type: tls, host: a, tls: {verify: false}, expect: {certificate: {warn: 36h, fail: 1d}}}
        - {name: F, type: tls, host: b, expect: {certificate: {fail: 100d}}}
        - name: D
          type: dns
          server: "[2001:db8::53]:5353"
          query: {name: _sip._tcp.a.example, type: srv, recursion: false}
          expect: {rcode: [NOERROR, NXDOMAIN], answers: {any: ["10 60 5060 b.example."]}}
        - {name: Y, type: dns, query: {name: a.example}}
        - {name: P, type: ping, host: a, count: 1, packet_interval: 10ms, size: 0, expect: {loss: {warn: 0%, fail: 33.3%}, rtt: {warn: 500us}}}
      """),
  GoodConfig(
    testDescription: "pulling", hasSecrets: true,
    text: """
      quartz:
        url: http://localhost:8080/v1
        api_key: x
        checks:
          pull: true
          every: 1h
          only: {resources: [5a2f3c1e-0b7d-4c36-9a58-2f1e6d7c8b90]}
          except: {checks: [0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d], types: [ping]}
        deliver: {to: "off"}
      """),
  GoodConfig(
    testDescription: "secrets", hasSecrets: true,
    text: """
      quartz:
        url: https://quartz.example/v1
        api_key: ${file:/secrets/key}
        deliver: {to: supabase, batch: 1, every: 5m, messages: true}
        supabase: {url: "https://p.example", api_key: "${cred:key}", email: a@b.example, password: "${env:TOKEN}"}
      checks:
        - name: A
          type: http
          url: https://a.example/path?key=${file:/secrets/key}
          method: POST
          body: hunter2
          headers: {X-Key: hunter2}
          auth: {bearer: hunter2}
        - {name: B, type: http, url: "https://a.example/", auth: {basic: {username: u, password: hunter2}}}
        - {name: C, type: http, url: "https://a.example/", expect: {body: {contains: ["${file:/secrets/key}"]}}}
      """),
]
