// SPDX-License-Identifier: MIT

import Monitoring

extension KeyTable {
  /// The keys of every kind of check; `narrowed(to:)` gives those of one.
  static let check = KeyTable(
    keys: everyCheck + httpCheck + hostCheck + dnsCheck + pingCheck + [
      Key("tls", .map(tlsOptions), "How the handshake is made and judged").only(.http, .tls),
      Key("expect", .map(expect), "Conditions; all of them must hold"),
    ],
    planned: [
      "interval_failing", "failure_threshold", "resolver", "addresses", "source_address", "negate",
      "maintenance",
      "body_file", "http_version", "proxy", "decompress", "starttls", "dialog", "transport",
    ])

  private static let everyCheck = [
    Key("name", .text, "Name in every output; each only once", required: true),
    Key("id", .text, "A UUID", default: "derived from the name"),
    Key("type", .choice(CheckType.allCases.map(\.rawValue)), "The kind of probe", required: true),
    Key("enabled", .flag, "false: known, but not probed", default: "true"),
    Key("post", .flag, "Deliver results although the API does not list the check", default: "false"),
    Key("resource", .text, "Id of the resource the check belongs to"),
    Key("tags", .list(.text), "Words to group checks by", default: "[]"),
    Key("interval", .duration(CheckLimits.interval), "From one probe to the next", default: "60s"),
    Key(
      "timeout", .duration(CheckLimits.timeout), "Of one whole attempt; at most the interval",
      default: "10s, or the interval if that is less"),
    Key("retries", .integer(CheckLimits.retries), "Attempts after the first that failed", default: "1"),
    Key("retry_delay", .duration(CheckLimits.delay), "Between attempts", default: "2s"),
    Key("confirm_delay", .duration(CheckLimits.delay), "Before one last attempt; 0s: none", default: "0s"),
    Key("ip", .choice(IPPreference.allCases.map(\.rawValue)), "Family of addresses to use", default: "any"),
  ]

  private static let httpCheck = [
    Key("url", .text, "What is requested; http or https", required: true),
    Key("method", .text, "Request method, in capitals", default: "GET"),
    Key("headers", .headers, "Request headers"),
    Key("body", .hidden, "Request body"),
    Key("auth", .map(auth), "Credentials"),
    Key("follow", .flag, "Follow redirects", default: "true"),
    Key("max_redirects", .integer(CheckLimits.maxRedirects), "Redirects followed at most", default: "10"),
    Key("allow_downgrade", .flag, "Let a redirect lead from https to http", default: "false"),
    Key(
      "max_body", .size(CheckLimits.maxBody), "Body read at most when a condition needs it", default: "1MiB"),
  ].map { $0.only(.http) }

  private static let auth = KeyTable(
    keys: [
      Key(
        "basic",
        .map(
          KeyTable(keys: [
            Key("username", .text, "Without a colon", required: true),
            Key("password", .secret, "The password", required: true),
          ])), "User name and password"),
      Key("bearer", .secret, "A token"),
    ],
    planned: ["digest", "oauth2"])

  private static let hostCheck = [
    Key("host", .text, "A name, or an address without brackets", required: true).only(.tcp, .tls, .ping),
    Key("port", .integer(CheckLimits.port), "The port; 443 for a tls check that gives none").only(.tcp, .tls),
  ]

  private static let tlsOptions = KeyTable(
    keys: [
      Key("ca_file", .text, "PEM file used instead of the system's trust store; relative to this file"),
      Key("server_name", .text, "Name sent and matched instead of the host"),
      Key("verify", .flag, "false: a bad certificate does not fail the probe", default: "true"),
    ],
    planned: ["min_version", "max_version", "client_certificate", "client_key"])

  private static let dnsCheck = [
    Key("server", .text, "host or host:port", default: "the system's resolvers").only(.dns),
    Key("query", .map(query), "The question", required: true).only(.dns),
  ]

  private static let query = KeyTable(
    keys: [
      Key("name", .text, "The name asked for", required: true),
      Key("type", .text, "Record type: \(DNSSettings.recordTypes.joined(separator: ", "))", default: "A"),
      Key("recursion", .flag, "Ask the server to find out", default: "true"),
    ],
    planned: ["class", "dnssec"])

  private static let pingCheck = [
    Key("count", .integer(CheckLimits.packets), "Packets of one run", default: "4"),
    Key("packet_interval", .duration(CheckLimits.packetInterval), "Between packets", default: "200ms"),
    Key("size", .integer(CheckLimits.packetSize), "Bytes of payload", default: "56"),
  ].map { $0.only(.ping) }

  private static let expect = KeyTable(
    keys: [
      Key("status", .oneOrMore(.text), "Codes and ranges such as 200-299, or any", default: "[200-299]").only(
        .http),
      Key("body", .map(body), "What the body must and must not hold").only(.http),
      Key("rcode", .oneOrMore(.text), "Response codes", default: "[NOERROR]").only(.dns),
      Key("answers", .map(answers), "What must be among the answers").only(.dns),
      Key("response_time", .map(durations(CheckLimits.responseTime)), "Slower is degraded, or down")
        .only(.http, .tcp, .tls, .dns),
      Key(
        "certificate", .map(durations(CheckLimits.certificate)), "Time left until the certificate expires",
        default: "a tls check: {warn: 21d, fail: 0d}"
      ).only(.http, .tls),
      Key("loss", .map(thresholds(.percent)), "Lost packets").only(.ping),
      Key("rtt", .map(durations(.microseconds(1)...CheckLimits.responseTime.upperBound)), "Mean round trip")
        .only(.ping),
    ],
    planned: [
      "header", "json", "final_url", "http_version", "count", "ttl", "authoritative", "serial_agreement",
    ])

  private static let body = KeyTable(
    keys: [
      Key("contains", .oneOrMore(.text), "Literals that must all be there"),
      Key("not_contains", .oneOrMore(.text), "Literals none of which may be there"),
    ],
    planned: ["matches", "not_matches"])

  private static let answers = KeyTable(
    keys: [Key("any", .oneOrMore(.text), "At least one answer equals one of these")],
    planned: ["all", "exact", "none"])

  private static func durations(_ range: ClosedRange<Duration>) -> KeyTable { thresholds(.duration(range)) }

  private static func thresholds(_ kind: ValueKind) -> KeyTable {
    KeyTable(keys: [
      Key("warn", kind, "From here the check is degraded"), Key("fail", kind, "From here it is down"),
    ])
  }
}
