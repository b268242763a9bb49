// SPDX-License-Identifier: MIT

import Basics

// `expect`
extension CheckDefinition {
  static let expectKeys: [Key<CheckDefinition>] = httpExpectations + dnsExpectations + thresholds

  private static let httpExpectations: [Key<CheckDefinition>] = Key.only(
    [.http],
    [
      Key(
        \.expect.status, "status", .statuses, "Codes and ranges from 100 to 599, such as 200-299, or any"
      ).api("expected_status_code"),
      Key(group: "body", "Conditions on the body", bodyKeys),
      Key(
        \.expect.headers, "header", .conditions,
        "Up to 32 header names, each with a condition that one of its values must meet, and with `!=` and `!~` all of "
          + "them"),
      Key(
        \.expect.json, "json", .typedConditions,
        "Up to 32 paths such as `$.status`, `$.list[0].id` or `$['a b']` (singular queries of RFC 9535), each with a "
          + "condition; a literal keeps its type: `1.5`, `true` and `null` are themselves, `\"1.5\"` is a text"
      ),
      Key(\.expect.finalURL, "final_url", .text, "Condition on the URL of the last answer"),
      Key(
        \.expect.httpVersion, "http_version", .text,
        "Condition on the answer's version: `1.0`, `1.1` or `2`"),
    ])

  private static let bodyKeys: [Key<CheckDefinition>] = [
    Key(
      \.http.expect.bodyContains, "contains", .oneOrMoreTexts,
      "Literals that must all be in the body; case matters"
    ).api("keyword_value"),
    Key(\.http.expect.bodyNotContains, "not_contains", .oneOrMoreTexts, "Literals none of which may be in it")
      .api("keyword_value"),
    Key(\.http.expect.bodyMatches, "matches", .oneOrMoreTexts, "Regular expressions that must all match"),
    Key(
      \.http.expect.bodyNotMatches, "not_matches", .oneOrMoreTexts,
      "Regular expressions none of which may match"),
    Key(
      \.http.expect.comparesBytes, "bytes", .flag,
      "Compare the bytes as they came, instead of characters in the charset that the answer names"),
  ]

  private static let dnsExpectations: [Key<CheckDefinition>] = Key.only(
    [.dns],
    [
      Key(
        \.expect.rcodes, "rcode", .oneOrMoreTexts,
        "Response codes: NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED, YXDOMAIN, YXRRSET, NXRRSET, NOTAUTH, "
          + "NOTZONE, and the extended BADVERS, BADCOOKIE and their like"),
      Key(group: "answers", "Conditions on the answers", answerKeys),
      Key(\.expect.count, "count", .text, "Condition on the number of answers of the type asked for"),
      Key(\.expect.ttl, "ttl", .text, "Condition on the seconds to live, which every answer must meet"),
      Key(
        \.dns.expect.authoritative, "authoritative", .flag,
        "Whether the answer must, or must not, be authoritative", default: "not judged"),
      Key(
        \.dns.expect.serialAgreement, "serial_agreement", .flag,
        "All name servers of the zone must hold the same SOA serial"),
    ])

  private static let answerKeys: [Key<CheckDefinition>] = [
    Key(
      \.expect.answersAny, "any", .oneOrMoreTexts,
      "Up to 64 literals in the form results print, case and order aside, or ~ and a pattern; at least one answer is "
        + "one of them"),
    Key(\.expect.answersAll, "all", .oneOrMoreTexts, "The same; each of them is among the answers"),
    Key(\.expect.answersExact, "exact", .oneOrMoreTexts, "The same; the answers are these and no others"),
    Key(\.expect.answersNone, "none", .oneOrMoreTexts, "The same; no answer is one of them"),
  ]

  private static let thresholds: [Key<CheckDefinition>] = [
    Key(
      group: "response_time", "Slower is worse; at most the timeout",
      [
        Key(\.plan.responseTime.warn, "warn", .duration(CheckLimits.responseTime), slower),
        Key(\.plan.responseTime.fail, "fail", .duration(CheckLimits.responseTime), slowest),
      ]
    ).only(.http, .tcp, .tls, .dns),
    Key(
      group: "certificate", "Time until the certificate, or one above it, expires; less is worse",
      [
        Key(
          \.expect.certificate.warn, "warn", .duration(CheckLimits.certificate),
          "Time until the certificate, or one above it, expires, from which the check is degraded",
          default: "tls: 21d; http and tcp: not judged unless `fail` is given, then the same"),
        Key(
          \.expect.certificate.fail, "fail", .duration(CheckLimits.certificate),
          "The same, from which it is down",
          default: "tls: 0d; http and tcp: not judged unless `warn` is given, then the same"),
        Key(
          \.expect.certificateStrict, "strict", .flag,
          "Degraded where a certificate that must come with a stapled OCSP response (RFC 7633) comes without; else "
            + "`message` says so",
          default: "`false`"),
      ]
    ).only(.http, .tcp, .tls),
    Key(
      group: "loss", "Share of packets lost; more is worse",
      [
        Key(\.ping.loss.warn, "warn", .percent, "Share of packets lost above which the check is degraded"),
        Key(
          \.ping.loss.fail, "fail", .percent, "The same, above which it is down",
          default: "none; losing all of them is down anyway"),
      ]
    ).only(.ping),
    Key(
      group: "rtt", "Mean round trip; at most the timeout",
      [
        Key(
          \.ping.rtt.warn, "warn", .duration(roundTrip), "Mean round trip above which the check is degraded"),
        Key(\.ping.rtt.fail, "fail", .duration(roundTrip), "The same, above which it is down"),
      ]
    ).only(.ping),
  ]
}

private let slower = "Slower is degraded; at most the timeout"
private let slowest = "Slower is down; at most the timeout"
private let roundTrip: ClosedRange<Duration> = .microseconds(1)...CheckLimits.responseTime.upperBound
