// SPDX-License-Identifier: MIT

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

  @Test(arguments: [
    "prober: http, http: {fail_if_sll: true}", "prober: grpc, grpc: {tls: true}",
    "prober: icmp, icmp: {dont_fragment: true}", "prober: dns, dns: {query_name: a.example}",
    "prober: tcp, tcp: {query_response: [{expect: a, labels: [{name: a, value: b}]}]}",
  ])
  func whatWouldNotHoldIsSaid(text: String) throws { #expect(try !module(text).shortcomings.isEmpty) }

  /// Other probers' settings are nobody's business.
  @Test func othersSettingsAreNotRead() throws {
    #expect(try module("prober: icmp, timeout: 2s, http: {nonsense: 1}").shortcomings == [])
  }
}
