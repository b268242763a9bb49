// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Modules of blackbox.yml, for whoever probes by them.
@Suite struct BlackboxTests {
  private func module(_ text: String) throws -> BlackboxModule {
    try #require(try BlackboxModule.read(Array("modules: {m: {\(text)}}".utf8)).first)
  }

  @Test(arguments: [
    ("^220", "^220"), ("PING :([^ ]+)", "PING :([^\\r\\n ]+)"), ("[^]a]", "[^\\r\\n\\]a]"),
    ("[]a^]", "[\\]a^]"),
    ("a\\sb", "a[^\\S\\r\\n]b"), ("[\\s]", "[\\s]"), ("\\[^a]", "\\[^a]"),
    ("\\D\\W", "[^\\d\\r\\n][^\\w\\r\\n]"),
    ("a\\", "a\\"), ("[a\\]^]", "[a\\]^]"), ("[^", "[^\\r\\n"), ("", ""),
  ])
  func patternsStayOnTheirLine(given: String, made: String) { #expect(LinePattern.bounded(given) == made) }

  /// What a check can say is left to it, the rest is a rule.
  @Test func rulesAreWhatNoCheckCanSay() throws {
    let headers = try module(
      """
      prober: http, http: {body_size_limit: 2KB, fail_if_header_matches: [{header: A, regexp: a}],
      fail_if_header_not_matches: [{header: a, regexp: b}, {header: B, regexp: b, allow_missing: true},
      {header: C, regexp: ^c}]}
      """)
    #expect(headers.shortcomings == [])
    #expect(headers.rules.headers.map(\.name) == ["a", "B"])
    #expect(headers.rules.headers.map(\.mayLack) == [false, true] && headers.rules.bodyLimit == 2048)
    guard case .map(let kept)? = headers.probe(of: "a.example")?["expect.header"] else {
      Issue.record("no condition on a header")
      return
    }
    #expect(kept.map(\.name) == ["A", "C"])
    let records = try module(
      """
      prober: dns, dns: {query_name: a.example, query_type: A, validate_authority_rrs:
      {fail_if_matches_regexp: [a], fail_if_none_matches_regexp: [b, ^c]}}
      """)
    #expect(records.shortcomings == [] && records.rules.answer.isEmpty)
    #expect(records.rules.authority.wantedOfAny == ["b", "(?-m)^c"])
  }

  /// `!!binary` that is no text is sent as it is.
  @Test func bytesOfADialog() throws {
    let made = try ReadSource(
      .blackbox,
      """
      modules:
        raw: {prober: tcp, tcp: {query_response: [{send: !!binary /wA=}, {expect_bytes: !!binary gA==}, {send: a}]}}
        sql: {prober: tcp, tcp: {query_response: [{send: !!binary AAAACATSFi8=}, {expect_bytes: S}, {starttls: true}]}}
        page: {prober: http, http: {body: !!binary /wA=}}
      scrape_configs:
        - job_name: raw
          metrics_path: /probe
          params: {module: [raw]}
          static_configs: [{targets: ["a.example:1"]}]
          relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
        - job_name: sql
          metrics_path: /probe
          params: {module: [sql]}
          static_configs: [{targets: ["a.example:5432"]}]
          relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
        - job_name: page
          metrics_path: /probe
          params: {module: [page]}
          static_configs: [{targets: ["a.example"]}]
          relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
      """)
    #expect(
      try made.keys() == """
        type: tcp
        host: a.example
        port: 1
        dialog: [{send_hex: ff000a}, {expect_hex: "80"}, {send: "a\\\\n"}]
        """)
    #expect(try made.keys(of: 1) == "type: tcp\nhost: a.example\nport: 5432\nstarttls: postgres")
    #expect(made.reasonCounts == ["!!binary that is no UTF-8 is not carried": 1])
    #expect(made.problems == [])
  }

  @Test(arguments: [
    (
      "prober: http, http: {fail_if_sll: true}",
      ["m:1: http.fail_if_sll: the key is unknown here, so it has no effect"]
    ),
    ("prober: http, http: 5", ["m:1: http: the key is unknown here, so it has no effect"]),
    ("prober: http, tcp: 5", []),
    (
      "prober: grpc, grpc: {tls: true}",
      [
        "m:1: prober: agent.yaml has no checks of this kind",
        "m:1: grpc.tls: agent.yaml has no checks of this kind",
      ]
    ),
    (
      "prober: icmp, icmp: {dont_fragment: true}",
      ["m:1: icmp.dont_fragment: packets are sent as the kernel makes them"]
    ),
    (
      "prober: dns, dns: {query_name: a.example}",
      ["m:1: dns.query_name: ANY is a question that servers refuse: name a query_type"]
    ),
    (
      "prober: tcp, tcp: {query_response: [{expect: a, labels: [{name: a, value: b}]}]}",
      [
        "m:1: tcp.query_response[0].labels[0].name: what is captured becomes no label here",
        "m:1: tcp.query_response[0].labels[0].value: what is captured becomes no label here",
      ]
    ),
  ])
  func whatWouldNotHoldIsSaid(text: String, words: [String]) throws {
    let found = try module(text).shortcomings
    #expect(found == words)
  }

  /// `tls_config` is read with TLS only: always of http, of tcp and dns where they are told to use it.
  @Test(arguments: [
    ("http, http: {", true), ("tcp, tcp: {", false), ("tcp, tcp: {tls: true, ", true),
    ("tcp, tcp: {tls: false, ", false), ("tcp, tcp: {query_response: [{starttls: true}], ", true),
    ("dns, dns: {query_name: a.example, query_type: A, ", false),
    ("dns, dns: {query_name: a.example, query_type: A, dns_over_tls: true, ", true),
  ])
  func whereTLSSettingsAreRead(text: String, isRead: Bool) throws {
    let found = try module("prober: \(text)tls_config: {oddity: 1}}").shortcomings
    #expect(found.contains { $0.contains("tls_config.oddity") } == isRead, "\(found)")
  }

  /// What blackbox_exporter itself refuses, and the file with it.
  @Test(arguments: [
    ("prober: http, http: {fail_if_sll: true}", ["http.fail_if_sll: blackbox_exporter has no such key"]),
    ("prober: http, timeut: 5s", ["timeut: blackbox_exporter has no such key"]),
    (
      "prober: http, http: {tls_config: {insecure: true}}",
      ["http.tls_config.insecure: blackbox_exporter has no such key"]
    ),
    (
      "prober: tcp, tcp: {query_response: [{expct: a}]}",
      ["tcp.query_response.expct: blackbox_exporter has no such key"]
    ),
    ("prober: htp", ["prober \"htp\" is none of http, tcp, dns, icmp, grpc, unix, websocket"]),
    ("prober: http, timeout: soon", ["timeout is no duration, such as 5s"]),
    ("prober: http, http: {body_size_limit: 1K}", ["http.body_size_limit is no size, such as 1MB"]),
    ("prober: http, http: {valid_status_codes: [2xx]}", ["http.valid_status_codes is no list of numbers"]),
    ("prober: dns, dns: {query_type: A}", ["dns.query_name is missing"]),
    ("prober: grpc, grpc: {service: a}", []), ("prober: http, http: {enable_http3: true}", []),
    ("prober: icmp, icmp: ", []), ("prober: http, http: {http_headers: {A: {values: [b]}}}", []),
  ])
  func faultsOfAModule(text: String, faults: [String]) throws { #expect(try module(text).faults == faults) }

  private func keys(_ text: String, of target: String = "https://a.example") throws -> String {
    var check = try #require(try module(text).probe(of: target))
    check.name = "c"
    let left = ["retries", "max_body", "allow_downgrade", "expect", "interval", "timeout"]
    check.keys.removeAll { left.contains($0.name) }
    var yaml = AgentYAML(secrets: .environment)
    return yaml.render([check], head: []).split(separator: "\n").dropFirst(2)
      .map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  /// A name of a file or a scheme is one, whatever it looks like.
  @Test(arguments: [
    (
      "authorization: {type: \"A ${env:X}\", credentials_file: /t}",
      "headers:\n  Authorization: \"A $${env:X} ${file:/t}\""
    ),
    ("authorization: {credentials_file: \"/t}${env:X\"}", ""), ("bearer_token_file: \"/t}${env:X\"", ""),
    ("http_headers: {A: {files: [\"/t}${env:X\"]}}", ""),
    ("basic_auth: {username: ann, password_file: \"/t}${env:X\"}", "auth:\n  basic:\n    username: ann"),
  ])
  func noNameIsAReference(settings: String, more: String) throws {
    let made = try keys("prober: http, http: {\(settings)}")
    #expect(made == "type: http\nurl: https://a.example" + (more.isEmpty ? "" : "\n") + more)
  }

  @Test func whatTheExporterTakesIsTaken() throws {
    let login = try #require(
      try module("prober: http, http: {basic_auth: {username: ann}}").probe(of: "https://a"))
    guard case .map(let headers)? = login["headers"], case .secret(let value, _) = headers[0].value else {
      Issue.record("no header")
      return
    }
    #expect(headers[0].name == "Authorization" && value.reveal() == "Basic YW5uOg==" && login["auth"] == nil)
    #expect(
      try keys("prober: http, http: {body: a, method: \"\"}")
        == "type: http\nurl: https://a.example\nbody: a\nmethod: GET")
    #expect(
      try keys("prober: http, http: {http_headers: {A: {values: [b]}, C: {files: [/d]}, E: {secrets: [f]}}}")
        == """
        type: http
        url: https://a.example
        headers:
          A: b
          C: "${file:/d}"
          E: "${env:QUARTZ_C_E}"
        """)
    let stay = "prober: http, http: {follow_redirects: false, tls_config: {ca_file: ca.pem}}"
    #expect(try keys(stay, of: "http://a.example") == "type: http\nurl: http://a.example\nfollow: false")
    #expect(try keys(stay).contains("ca_file"))
    #expect(try keys("prober: tcp, tcp: ", of: "a.example:1") == "type: tcp\nhost: a.example\nport: 1")
    #expect(try module("prober: tcp, tcp: {tls_config: {ca_file: a}}").shortcomings == [])
    #expect(try module("prober: http, http: {preferred_ip_protocol: ipv4}").family.preferred == 4)
    #expect(try module("prober: http, http: {preferred_ip_protocol: \"\"}").family.preferred == 6)
    #expect(
      try module("prober: dns, dns: {query_name: a, query_type: A, valid_rcodes: []}").shortcomings
        == ["dns.valid_rcodes: an empty list lets no code pass"])
  }

  @Test func sizes() {
    let known =
      [
        ("0", 0), ("10B", 10), ("1KB", 1024), ("1.5KiB", 1536), ("2MB", 2 << 20), ("1GB", 1 << 30),
        ("1k", nil),
        ("10", nil), ("MB", nil), ("-1B", nil), ("1e3B", nil),
      ] as [(String, Int?)]
    for (text, bytes) in known { #expect(BlackboxHTTP.bytes(text) == bytes, "\(text)") }
  }

  /// `/config` shows what is written, without secrets.
  @Test func modulesAreShownWithoutSecrets() throws {
    let modules = try BlackboxModule.read(
      Array(
        """
        modules:
          web:
            prober: http
            timeout: 5s
            http:
              valid_status_codes: [200, 204]
              headers: {Host: a.example, Authorization: Bearer hunter2, X-Api-Key: hunter2}
              http_headers: {Cookie: {values: [hunter2], files: [/etc/c]}}
              basic_auth: {username: ann, password: hunter2}
              bearer_token_file: /etc/token
              proxy_url: http://me:hunter2@proxy.example:3128
              body: '{"password": "hunter2"}'
              tls_config: {ca_file: /etc/ca, insecure_skip_verify: false}
              fail_if_body_matches_regexp: ["^a: b", "-"]
          ping:
            prober: icmp
            icmp: {}
        """.utf8))
    #expect(
      BlackboxModule.text(of: modules)
        == """
        modules:
          web:
            prober: http
            timeout: 5s
            http:
              valid_status_codes:
              - 200
              - 204
              headers:
                Host: a.example
                Authorization: "<secret>"
                X-Api-Key: "<secret>"
              http_headers:
                Cookie:
                  values:
                  - "<secret>"
                  files:
                  - /etc/c
              basic_auth:
                username: ann
                password: "<secret>"
              bearer_token_file: /etc/token
              proxy_url: "<secret>"
              body: "<secret>"
              tls_config:
                ca_file: /etc/ca
                insecure_skip_verify: false
              fail_if_body_matches_regexp:
              - "^a: b"
              - "-"
          ping:
            prober: icmp
            icmp: {}

        """.replacing("\"<secret>\"", with: "<secret>"))
    #expect(BlackboxModule.text(of: []) == "modules: {}\n")
  }

  /// Other probers' settings are nobody's business.
  @Test func othersSettingsAreNotRead() throws {
    #expect(try module("prober: icmp, timeout: 2s, http: {nonsense: 1}").shortcomings == [])
  }
}
