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
    word("interval_failing", check.intervalFailing?.text)
    word("failure_threshold", String(check.failureThreshold))
    text("ip", check.ip.rawValue)
    word("addresses", check.addresses.rawValue)
    text("resolver", check.resolver?.description)
    text("source_address", check.sourceAddress?.description)
    flag("negate", check.negate)
    switch check.kind {
    case .http(let http): self.http(http, check.responseTime)
    case .tcp(let tcp): self.tcp(tcp, check.responseTime)
    case .tls(let tls):
      hostAndPort(tls.host, tls.port)
      word("starttls", tls.startTLS?.rawValue)
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

  private mutating func tcp(_ tcp: TCPSettings, _ responseTime: Thresholds<Duration>) {
    hostAndPort(tcp.host, tcp.port)
    word("starttls", tcp.startTLS?.rawValue)
    if let options = tcp.tls { tlsOptions(options) }
    switch tcp.dialog {
    case .preset(let preset): word("dialog", preset.rawValue)
    case .steps(let steps):
      map("dialog") { printer in
        for (index, step) in steps.enumerated() { printer.item(String(index)) { $0.step(step) } }
      }
    case nil: break
    }
    expect { printer in
      printer.thresholds("response_time", responseTime, \.text)
      printer.thresholds("certificate", tcp.certificate, \.text)
    }
  }

  private mutating func step(_ step: DialogStep) {
    switch step {
    case .send(let text): secret("send", text)
    case .sendHex: secret("send_hex", Redacted(""))
    case .expect(.literal(let text)): self.text("expect", text)
    case .expect(.pattern(let text)): self.text("expect", "~ " + text)
    case .expectHex(let bytes): text("expect_hex", hexadecimal(bytes))
    }
  }

  private mutating func dns(_ dns: DNSSettings, _ responseTime: Thresholds<Duration>) {
    text("server", dns.server?.description)
    word("transport", dns.transport.rawValue)
    map("query") { printer in
      printer.text("name", dns.name)
      printer.text("type", dns.recordType)
      printer.word("class", dns.recordClass.rawValue)
      printer.flag("recursion", dns.recursion)
      printer.flag("dnssec", dns.dnssec)
    }
    if dns.transport == .dot || dns.transport == .doh { tlsOptions(dns.tls) }
    expect { $0.dnsExpectations(dns.expect, responseTime) }
  }

  private mutating func dnsExpectations(_ expect: DNSExpectations, _ responseTime: Thresholds<Duration>) {
    texts("rcode", expect.rcodes)
    let lists = [
      ("any", expect.answersAny), ("all", expect.answersAll), ("exact", expect.answersExact),
      ("none", expect.answersNone),
    ].filter { !$0.1.isEmpty }
    if !lists.isEmpty {
      map("answers") { printer in
        for (name, list) in lists { printer.texts(name, list.map(\.description)) }
      }
    }
    text("count", expect.count?.description)
    text("ttl", expect.ttl?.description)
    if let authoritative = expect.authoritative { flag("authoritative", authoritative) }
    flag("serial_agreement", expect.serialAgreement)
    thresholds("response_time", responseTime, \.text)
  }

  private mutating func ping(_ ping: PingSettings) {
    text("host", ping.host)
    word("method", ping.method.rawValue)
    word("port", ping.port.map(String.init))
    word("count", String(ping.count))
    word("packet_interval", ping.packetInterval.text)
    if ping.method == .icmp { word("size", String(ping.size)) }
    expect { printer in
      printer.thresholds("loss", ping.loss) { "\($0)%" }
      printer.thresholds("rtt", ping.rtt, \.text)
    }
  }

  mutating func tlsOptions(_ options: TLSOptions) {
    map("tls") { printer in
      printer.text("ca_file", options.caFile)
      printer.text("server_name", options.serverName)
      printer.flag("verify", options.verify)
      printer.text("min_version", options.minimumVersion.rawValue)
      printer.text("max_version", options.maximumVersion?.rawValue)
      printer.text("client_certificate", options.clientCertificate)
      printer.text("client_key", options.clientKey)
    }
  }

  /// Left out when nothing is expected: an empty map is refused.
  mutating func expect(_ body: (inout ConfigPrinter) -> Void) {
    let before = self
    map("expect", body)
    if text.hasSuffix("expect:\n") { self = before }
  }

  mutating func thresholds<Value>(
    _ name: String, _ value: Thresholds<Value>, _ text: (Value) -> String
  ) {
    guard value != Thresholds() else { return }
    map(name) { printer in
      printer.word("warn", value.warn.map(text))
      printer.word("fail", value.fail.map(text))
    }
  }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}
