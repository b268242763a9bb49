// SPDX-License-Identifier: MIT

import Basics

extension CheckJudge {
  mutating func tcp() -> TCPSettings? {
    let host = host()
    let port = port(default: nil)
    let startTLS = startTLS()
    let options = tlsOptions()
    let usesTLS = definition.tls.isWanted ?? (hasTLSOptions || startTLS != nil)
    if !usesTLS, startTLS != nil {
      problem(["tls"], "tls false contradicts starttls", hint: "leave one of them out")
    }
    certificateThresholds()
    let wantsCertificate = definition.expect.certificate != Thresholds()
    if !usesTLS, wantsCertificate || definition.expect.certificateStrict != nil {
      problem(["expect", "certificate"], "expect.certificate needs tls", hint: "add tls: true")
    }
    let dialog = dialog()
    guard let host, let port else { return nil }
    return TCPSettings(
      host: host, port: port, tls: usesTLS ? options : nil, startTLS: startTLS, dialog: dialog,
      certificate: wantsCertificate ? certificateDefaults() : Thresholds())
  }

  private mutating func startTLS() -> StartTLSProtocol? {
    choice(definition.startTLS, ["starttls"], StartTLSProtocol.self)
  }

  mutating func tls() -> TLSSettings? {
    let host = host()
    let startTLS = startTLS()
    let port = port(default: startTLS.map(\.defaultPort) ?? 443)
    let options = tlsOptions()
    certificateThresholds()
    guard let host, let port else { return nil }
    return TLSSettings(
      host: host, port: port, startTLS: startTLS, options: options, certificate: certificateDefaults())
  }

  mutating func ping() -> PingSettings? {
    let host = host()
    var ping = definition.ping
    let count = ping.count
    let packetInterval = definition.packetInterval ?? ping.packetInterval
    let inBounds = [
      ranged(count, ["count"], CheckLimits.packets),
      ranged(packetInterval, ["packet_interval"], CheckLimits.packetInterval),
    ]
    ranged(definition.size, ["size"], CheckLimits.packetSize)
    if inBounds == [true, true], packetInterval * (count - 1) >= timeout {
      let needed = (packetInterval * (count - 1)).text
      problem(
        [definition.packetInterval == nil ? "count" : "packet_interval"],
        "\(count) packets \(packetInterval.text) apart take \(needed), found a timeout of \(timeout.text)",
        hint: "raise timeout, or send fewer packets closer together")
    }
    lossThresholds()
    thresholds(
      definition.ping.rtt, ["expect", "rtt"], within: .microseconds(1)...CheckLimits.responseTime.upperBound,
      atMost: timeout)
    let method = choice(definition.pingMethod, ["method"], PingMethod.self) ?? .icmp
    let port = pingPort(method)
    guard let host else { return nil }
    (ping.host, ping.method, ping.port, ping.packetInterval) = (host, method, port, packetInterval)
    ping.size = definition.size ?? ping.size
    return ping
  }

  private mutating func pingPort(_ method: PingMethod) -> UInt16? {
    switch method {
    case .icmp:
      if definition.port != nil {
        problem(["port"], "port has no effect on an icmp ping", hint: "add method: tcp, or leave it out")
      }
      return nil
    case .tcp:
      if definition.size != nil {
        problem(["size"], "size has no effect on a tcp ping", hint: "leave it out")
      }
      return port(default: nil)
    }
  }

  private mutating func lossThresholds() {
    let value = definition.ping.loss
    let path = ["expect", "loss"]
    for (name, percent) in [("warn", value.warn), ("fail", value.fail)] {
      guard let percent else { continue }
      let wrong = CheckProblem.bounds(path + [name], percent, in: CheckLimits.loss) { percentText($0) }
      if let wrong { problem(wrong.path, wrong.message) }
    }
    if let warn = value.warn, let fail = value.fail, warn > fail {
      problem(
        path + ["warn"],
        "expect.loss.warn must be at most expect.loss.fail (\(percentText(fail))), found \(percentText(warn))"
      )
    }
  }
}

private func percentText(_ value: Double) -> String {
  value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))%" : "\(value)%"
}

extension StartTLSProtocol {
  /// Where the protocol usually listens for plain connections.
  package var defaultPort: UInt16 {
    switch self {
    case .smtp: 25
    case .imap: 143
    case .pop3: 110
    case .ftp: 21
    case .ldap: 389
    case .postgres: 5432
    case .mysql: 3306
    case .xmpp: 5222
    }
  }
}
