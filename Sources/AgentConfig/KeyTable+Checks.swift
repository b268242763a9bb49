// SPDX-License-Identifier: MIT

import Monitoring

extension KeyTable {
  /// The keys of every kind of check; `narrowed(to:)` gives those of one.
  static let check = KeyTable(
    keys: everyCheck + httpCheck + hostCheck + dnsCheck + pingCheck + [
      Key("tls", .map(tlsOptions), "How the handshake is made and judged").only(.http, .tls, .dns),
      Key(
        "tls", .either(.flag, .map(tlsOptions)), "TLS on the connection: true, or how it is made and judged"
      )
      .only(.tcp),
      Key("maintenance", .list(.map(ownMaintenance)), "Windows in which somebody works on this target"),
      Key("expect", .map(expect), "Conditions; all of them must hold"),
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
    Key(
      "interval_failing", .duration(CheckLimits.interval),
      "From one probe to the next while the check is down; at most the interval", default: "the interval"),
    Key(
      "failure_threshold", .integer(CheckLimits.failureThreshold),
      "Failures in a row from which its resource counts as down", default: "1"),
    Key("ip", .choice(IPPreference.allCases.map(\.rawValue)), "Family of addresses to use", default: "any"),
    Key(
      "addresses", .choice(AddressScope.allCases.map(\.rawValue)),
      "any: the first address that answers; each: all of them must pass", default: "any"),
    Key("resolver", .text, "Name server for the target's name; host or host:port", default: "the system's"),
    Key("source_address", .text, "Local address to connect from"),
    Key("negate", .flag, "The probe must fail: success and failure change places", default: "false"),
  ]

  private static let httpCheck = [
    Key("url", .text, "What is requested; http or https", required: true),
    Key("method", .text, "Request method, in capitals", default: "GET"),
    Key("headers", .headers, "Request headers"),
    Key("body", .hidden, "Request body"),
    Key("body_file", .text, "File with the request body, at most 64 KiB of UTF-8; relative to this file"),
    Key("auth", .map(auth), "Credentials"),
    Key("follow", .flag, "Follow redirects", default: "true"),
    Key("max_redirects", .integer(CheckLimits.maxRedirects), "Redirects followed at most", default: "10"),
    Key("allow_downgrade", .flag, "Let a redirect lead from https to http", default: "false"),
    Key(
      "http_version", .choice(HTTPVersionChoice.allCases.map(\.rawValue)),
      "auto: HTTP/2 where TLS negotiates it, else 1.1", default: "auto"),
    Key("proxy", .hidden, "http://[user:password@]host:port or socks5h://…; it resolves the target's name"),
    Key("decompress", .flag, "Ask for a compressed body and judge it decoded", default: "true"),
    Key(
      "max_body", .size(CheckLimits.maxBody),
      "Body read at most; more is down where a condition needs the body, and is not read where none does",
      default: "1MiB"),
    Key(
      "read_body", .flag, "Read a body that no condition needs to its end: one that breaks is down",
      default: "true, but for HEAD and for streams"),
  ].map { $0.only(.http) }

  private static let auth = KeyTable(
    keys: [
      Key("basic", .map(login), "User name and password, sent with the request (RFC 7617)"),
      Key("digest", .map(login), "User name and password, proved when the server asks (RFC 7616)"),
      Key("bearer", .secret, "A token"),
      Key("oauth2", .map(oauth2), "A token fetched first, by client credentials (RFC 6749)"),
    ])

  private static let login = KeyTable(keys: [
    Key("username", .text, "The name; of basic, without a colon", required: true),
    Key("password", .secret, "The password", required: true),
  ])

  private static let oauth2 = KeyTable(keys: [
    Key("token_url", .text, "Where the token is fetched; https", required: true),
    Key("client_id", .text, "The client's id", required: true),
    Key("client_secret", .secret, "The client's secret", required: true),
    Key("scopes", .list(.text), "Scopes asked for", default: "[]"),
  ])

  private static let hostCheck = [
    Key("host", .text, "A name, or an address without brackets", required: true).only(.tcp, .tls, .ping),
    Key("port", .integer(CheckLimits.port), "The port; a tls check has 443, or the usual one of starttls")
      .only(.tcp, .tls),
    Key(
      "starttls", .choice(StartTLSProtocol.allCases.map(\.rawValue)), "Ask for TLS in this protocol first"
    ).only(.tcp, .tls),
    Key(
      "dialog", .either(.choice(DialogPreset.allCases.map(\.rawValue)), .list(.map(dialogStep))),
      "What is said on the connection: a preset, or a list of steps"
    ).only(.tcp),
  ]

  private static let dialogStep = KeyTable(keys: [
    Key("send", .hidden, "Text to send; \\r, \\n, \\t, \\xNN, \\\\ and \\(name) of a capture are replaced"),
    Key("send_hex", .hidden, "Bytes to send, in hexadecimal"),
    Key("expect", .text, "Literal, or ~ and a pattern, that must come"),
    Key("expect_hex", .text, "Bytes that must come, in hexadecimal"),
  ])

  private static let tlsOptions = KeyTable(
    keys: [
      Key("ca_file", .text, "PEM file used instead of the system's trust store; relative to this file"),
      Key("server_name", .text, "Name sent and matched instead of the host"),
      Key("verify", .flag, "false: a bad certificate does not fail the probe", default: "true"),
      Key("min_version", .choice(tlsVersions), "Oldest version of TLS accepted", default: "1.2"),
      Key("max_version", .choice(tlsVersions), "Newest version of TLS offered", default: "1.3"),
      Key(
        "client_certificate", .text, "PEM file of the certificate to show when asked; relative to this file"),
      Key("client_key", .text, "PEM file of its key", default: "client_certificate"),
    ])

  private static let tlsVersions = TLSVersionChoice.allCases.map(\.rawValue)

  private static let dnsCheck = [
    Key("server", .text, "host or host:port", default: "the system's resolvers").only(.dns),
    Key(
      "transport", .choice(DNSTransport.allCases.map(\.rawValue)),
      "udp falls back to tcp where an answer is cut; dot is TLS, doh is HTTPS at /dns-query", default: "udp"
    ).only(.dns),
    Key("query", .map(query), "The question", required: true).only(.dns),
  ]

  private static let query = KeyTable(
    keys: [
      Key("name", .text, "The name asked for", required: true),
      Key("type", .text, "Record type such as AAAA or MX, or TYPE and a number", default: "A"),
      Key("class", .choice(DNSClass.allCases.map(\.rawValue)), "Class of the question", default: "IN"),
      Key("recursion", .flag, "Ask the server to find out", default: "true"),
      Key("dnssec", .flag, "Ask for signatures; the answer must be marked authentic", default: "false"),
    ])

  private static let pingCheck = [
    Key(
      "method", .choice(PingMethod.allCases.map(\.rawValue)), "icmp: echo requests; tcp: connections to port",
      default: "icmp"),
    Key("port", .integer(CheckLimits.port), "The port of method tcp"),
    Key("count", .integer(CheckLimits.packets), "Packets of one run", default: "4"),
    Key("packet_interval", .duration(CheckLimits.packetInterval), "Between packets", default: "200ms"),
    Key("size", .integer(CheckLimits.packetSize), "Bytes of payload", default: "56"),
  ].map { $0.only(.ping) }

  private static let expect = KeyTable(
    keys: [
      Key("status", .oneOrMore(.text), "Codes and ranges such as 200-299, or any", default: "[200-299]").only(
        .http),
      Key("body", .map(body), "What the body must and must not hold").only(.http),
      Key("header", .conditions, "Conditions on response headers, by name").only(.http),
      Key("json", .typedConditions, "Conditions on the body as JSON, by path").only(.http),
      Key("final_url", .text, "Condition on the URL of the last answer").only(.http),
      Key("http_version", .text, "Condition on the version answered with: 1.0, 1.1 or 2").only(.http),
      Key("rcode", .oneOrMore(.text), "Response codes", default: "[NOERROR]").only(.dns),
      Key("answers", .map(answers), "What must be among the answers").only(.dns),
      Key("count", .text, "Condition on the number of answers").only(.dns),
      Key("ttl", .text, "Condition on the seconds to live of every answer").only(.dns),
      Key("authoritative", .flag, "Whether the answer must be authoritative").only(.dns),
      Key(
        "serial_agreement", .flag, "All name servers of the zone must hold the same serial", default: "false"
      )
      .only(.dns),
      Key("response_time", .map(durations(CheckLimits.responseTime)), "Slower is degraded, or down")
        .only(.http, .tcp, .tls, .dns),
      Key(
        "certificate", .map(durations(CheckLimits.certificate)), "Time left until the certificate expires",
        default: "a tls check: {warn: 21d, fail: 0d}"
      ).only(.http, .tcp, .tls),
      Key("loss", .map(thresholds(.percent)), "Lost packets").only(.ping),
      Key("rtt", .map(durations(.microseconds(1)...CheckLimits.responseTime.upperBound)), "Mean round trip")
        .only(.ping),
    ])

  private static let body = KeyTable(
    keys: [
      Key("contains", .oneOrMore(.text), "Literals that must all be there"),
      Key("not_contains", .oneOrMore(.text), "Literals none of which may be there"),
      Key("matches", .oneOrMore(.text), "Patterns that must all match"),
      Key("not_matches", .oneOrMore(.text), "Patterns none of which may match"),
    ])

  private static let answers = KeyTable(
    keys: [
      Key("any", .oneOrMore(.text), "At least one answer is one of these"),
      Key("all", .oneOrMore(.text), "Each of these is among the answers"),
      Key("exact", .oneOrMore(.text), "The answers are these and no others"),
      Key("none", .oneOrMore(.text), "No answer is one of these"),
    ])

  private static func durations(_ range: ClosedRange<Duration>) -> KeyTable { thresholds(.duration(range)) }

  private static func thresholds(_ kind: ValueKind) -> KeyTable {
    KeyTable(keys: [
      Key("warn", kind, "From here the check is degraded"), Key("fail", kind, "From here it is down"),
    ])
  }
}
