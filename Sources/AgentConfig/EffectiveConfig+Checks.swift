// SPDX-License-Identifier: MIT

import Monitoring

extension ConfigPrinter {
  mutating func checks(_ checks: [MonitoringCheck]) {
    guard !checks.isEmpty else { return word("checks", "[]") }
    map("checks") { printer in
      for check in checks { printer.item(check.id.description) { $0.check(check) } }
    }
  }

  private mutating func check(_ check: MonitoringCheck) {
    text("name", check.name)
    text("id", check.id.description)
    word("type", check.type.rawValue)
    flag("enabled", check.enabled)
    flag("post", check.post)
    text("resource", check.resourceID?.description)
    if !check.tags.isEmpty { texts("tags", check.tags) }
    word("interval", check.interval.text)
    word("timeout", check.timeout.text)
    word("retries", String(check.retries))
    word("retry_delay", check.retryDelay.text)
    // Without retries there is no confirmation, and the loader refuses one.
    if check.retries > 0 { word("confirm_delay", check.confirmDelay.text) }
    text("ip", check.ip.rawValue)
    switch check.kind {
    case .http(let http): self.http(http, check.responseTime)
    case .tcp(let tcp):
      hostAndPort(tcp.host, tcp.port)
      expect { $0.thresholds("response_time", check.responseTime, \.text) }
    case .tls(let tls):
      hostAndPort(tls.host, tls.port)
      tlsOptions(tls.options)
      expect { printer in
        printer.thresholds("response_time", check.responseTime, \.text)
        printer.thresholds("certificate", tls.certificate, \.text)
      }
    case .dns(let dns): self.dns(dns, check.responseTime)
    case .ping(let ping): self.ping(ping)
    }
  }

  private mutating func hostAndPort(_ host: String, _ port: UInt16) {
    text("host", host)
    word("port", String(port))
  }

  private mutating func http(_ http: HTTPSettings, _ responseTime: Thresholds<Duration>) {
    url("url", http.url)
    text("method", http.method)
    if !http.headers.isEmpty {
      map("headers") { printer in
        for header in http.headers { printer.secret(header.name, header.value) }
      }
    }
    secret("body", http.body)
    switch http.auth {
    case .basic(let username, let password):
      map("auth") { printer in
        printer.map("basic") { printer in
          printer.text("username", username)
          printer.secret("password", password)
        }
      }
    case .bearer(let token): map("auth") { $0.secret("bearer", token) }
    case nil: break
    }
    flag("follow", http.follow)
    if http.follow {
      word("max_redirects", String(http.maxRedirects))
      flag("allow_downgrade", http.allowDowngrade)
    }
    word("max_body", ByteSize.text(http.maxBody))
    // Where no handshake can happen the map is refused.
    if http.url.scheme == .https || http.follow { tlsOptions(http.tls) }
    expect { $0.httpExpectations(http.expect, responseTime) }
  }

  private mutating func httpExpectations(_ expect: HTTPExpectations, _ responseTime: Thresholds<Duration>) {
    let codes = expect.status.map { range in
      range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound)-\(range.upperBound)"
    }
    if codes.isEmpty { word("status", "any") } else { texts("status", codes) }
    if expect.needsBody {
      map("body") { printer in
        if !expect.bodyContains.isEmpty { printer.texts("contains", expect.bodyContains) }
        if !expect.bodyNotContains.isEmpty { printer.texts("not_contains", expect.bodyNotContains) }
      }
    }
    thresholds("response_time", responseTime, \.text)
    thresholds("certificate", expect.certificateDays, \.text)
  }

  private mutating func dns(_ dns: DNSSettings, _ responseTime: Thresholds<Duration>) {
    text("server", dns.server?.description)
    map("query") { printer in
      printer.text("name", dns.name)
      printer.text("type", dns.recordType)
      printer.flag("recursion", dns.recursion)
    }
    expect { printer in
      printer.texts("rcode", dns.expect.rcodes)
      if !dns.expect.answersAny.isEmpty {
        printer.map("answers") { $0.texts("any", dns.expect.answersAny.map(\.description)) }
      }
      printer.thresholds("response_time", responseTime, \.text)
    }
  }

  private mutating func ping(_ ping: PingSettings) {
    text("host", ping.host)
    word("count", String(ping.count))
    word("packet_interval", ping.packetInterval.text)
    word("size", String(ping.size))
    expect { printer in
      printer.thresholds("loss", ping.loss) { "\($0)%" }
      printer.thresholds("rtt", ping.rtt, \.text)
    }
  }

  private mutating func tlsOptions(_ options: TLSOptions) {
    map("tls") { printer in
      printer.text("ca_file", options.caFile)
      printer.text("server_name", options.serverName)
      printer.flag("verify", options.verify)
    }
  }

  /// Left out when nothing is expected: an empty map is refused.
  private mutating func expect(_ body: (inout ConfigPrinter) -> Void) {
    let before = self
    map("expect", body)
    if text.hasSuffix("expect:\n") { self = before }
  }

  private mutating func thresholds<Value>(
    _ name: String, _ value: Thresholds<Value>, _ text: (Value) -> String
  ) {
    guard value != Thresholds() else { return }
    map(name) { printer in
      printer.word("warn", value.warn.map(text))
      printer.word("fail", value.fail.map(text))
    }
  }
}
