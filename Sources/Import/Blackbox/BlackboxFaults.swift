// SPDX-License-Identifier: MIT

import Basics

/// Keys that blackbox_exporter has. It refuses a file with any other, as a whole.
private enum BlackboxKeys {
  static let module = ["prober", "timeout", "http", "tcp", "icmp", "dns", "grpc", "unix", "websocket"]

  private static let family = ["preferred_ip_protocol", "ip_protocol_fallback"]
  private static let client = [
    "basic_auth", "authorization", "oauth2", "bearer_token", "bearer_token_file", "tls_config",
    "follow_redirects", "enable_http2", "proxy_url", "no_proxy", "proxy_from_environment",
    "proxy_connect_header", "http_headers",
  ]
  private static let tls = [
    "ca", "cert", "key", "ca_file", "cert_file", "key_file", "ca_ref", "cert_ref", "key_ref", "server_name",
    "insecure_skip_verify", "min_version", "max_version",
  ]
  private static let records = [
    "fail_if_matches_regexp", "fail_if_all_match_regexp", "fail_if_not_matches_regexp",
    "fail_if_none_matches_regexp",
  ]
  private static let header = ["header", "regexp", "allow_missing"]

  static func of(_ prober: BlackboxModule.Prober) -> [String] {
    switch prober {
    case .http:
      client + family + [
        "valid_status_codes", "valid_http_versions", "skip_resolve_phase_with_proxy", "no_follow_redirects",
        "fail_if_ssl", "fail_if_not_ssl", "method", "headers", "fail_if_body_matches_regexp",
        "fail_if_body_not_matches_regexp", "fail_if_body_json_matches_cel",
        "fail_if_body_json_not_matches_cel", "fail_if_header_matches", "fail_if_header_not_matches", "body",
        "body_file", "compression", "body_size_limit", "enable_http3",
        // Of older ones.
        "fail_if_matches_regexp", "fail_if_not_matches_regexp",
      ]
    case .tcp: family + ["source_ip_address", "query_response", "tls", "tls_config"]
    case .icmp: family + ["source_ip_address", "payload_size", "dont_fragment", "ttl"]
    case .dns:
      family + [
        "dns_over_tls", "tls_config", "source_ip_address", "transport_protocol", "query_class", "query_name",
        "query_type", "recursion_desired", "valid_rcodes", "validate_answer_rrs", "validate_authority_rrs",
        "validate_additional_rrs",
      ]
    case .grpc: family + ["service", "tls", "tls_config", "metadata"]
    case .unix: ["query_response", "tls", "tls_config"]
    case .websocket: family + ["http_config", "headers", "query_response"]
    }
  }

  /// Of the sections inside a prober's.
  static let inner: [ByteText: [String]] = [
    ByteText("tls_config"): tls,
    ByteText("basic_auth"): [
      "username", "username_file", "username_ref", "password", "password_file", "password_ref",
    ],
    ByteText("authorization"): ["type", "credentials", "credentials_file", "credentials_ref"],
    ByteText("validate_answer_rrs"): records, ByteText("validate_authority_rrs"): records,
    ByteText("validate_additional_rrs"): records, ByteText("fail_if_header_matches"): header,
    ByteText("fail_if_header_not_matches"): header,
    ByteText("query_response"): ["expect", "expect_bytes", "labels", "send", "starttls"],
  ]
}

extension BlackboxModule {
  /// Why blackbox_exporter itself refuses the module, and the file with it.
  package var faults: [String] {
    guard let prober else {
      let word = node["prober"]?.text?.printable(maxBytes: 40) ?? ""
      return ["prober \"\(word)\" is none of \(Self.probers)"]
    }
    return unknown(node, "", BlackboxKeys.module)
      + unknown(settings, prober.rawValue, BlackboxKeys.of(prober))
      + inner(settings, prober.rawValue) + values(prober)
  }

  /// All patterns of its prober, as they are compiled here.
  package var patterns: [String] {
    let lists = [
      "fail_if_body_matches_regexp", "fail_if_body_not_matches_regexp", "fail_if_matches_regexp",
      "fail_if_not_matches_regexp",
    ]
    let headers = BlackboxRules.headerRules(settings).compactMap { $0.node["regexp"]?.text }
    let steps = (settings["query_response"]?.items ?? []).compactMap { $0["expect"]?.text }
    return (lists.flatMap { settings[$0]?.all.compactMap(\.text) ?? [] } + headers + steps)
      .map(PatternText.whole)
  }

  private static let probers = Prober.allCases.map(\.rawValue).joined(separator: ", ")

  private func unknown(_ node: ForeignNode, _ path: String, _ known: [String]) -> [String] {
    (node.entries ?? []).filter { !known.contains($0.name) }.map {
      "\(path)\(path.isEmpty ? "" : ".")\($0.name.printable(maxBytes: 80)): blackbox_exporter has no such key"
    }
  }

  private func inner(_ section: ForeignNode, _ path: String) -> [String] {
    (section.entries ?? []).flatMap { entry -> [String] in
      guard let known = BlackboxKeys.inner[ByteText(entry.name)] else { return [] }
      return entry.value.all.flatMap { unknown($0, "\(path).\(entry.name)", known) }
    }
  }

  /// Values that are none.
  private func values(_ prober: Prober) -> [String] {
    var found: [String] = []
    if let text = node["timeout"]?.text, !text.isEmpty, ForeignDuration.milliseconds(text) == nil {
      found.append("timeout is no duration, such as 5s")
    }
    if let size = settings["body_size_limit"]?.text, !size.isEmpty, BlackboxHTTP.bytes(size) == nil {
      found.append("\(prober.rawValue).body_size_limit is no size, such as 1MB")
    }
    if settings["valid_status_codes"]?.all.contains(where: { $0.number == nil }) == true {
      found.append("\(prober.rawValue).valid_status_codes is no list of numbers")
    }
    if settings["authorization"]?["type"]?.text?.lowercased() == "basic" {
      found.append("http.authorization.type is basic: write basic_auth")
    }
    if prober == .dns, settings["query_name"]?.text?.isEmpty ?? true {
      found.append("dns.query_name is missing")
    }
    return found
  }
}
