// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// egress: the rules over several keys
extension SettingsBuilder {
  mutating func judgeEgress(_ settings: EgressSettings) {
    let map = root.map("egress")
    if !settings.allowNames.isEmpty, map["proxy"]?.text == nil, !map.isInvalid(["proxy"]) {
      walk.problem(
        map.position(of: ["allow_names"]), "egress.allow_names has no effect without egress.proxy",
        hint: "add the proxy, or leave it out")
    }
    if settings.proxy != nil, (map["allow_names"]?.list ?? []).isEmpty, !map.isInvalid(["allow_names"]) {
      walk.problem(
        map.position(of: ["proxy"]), "egress.proxy has no effect without egress.allow_names",
        hint: "list the names that API checks may reach through it; a check of this file has its own proxy")
    }
    if settings.mode == .allowlistOnly, settings.allow.isEmpty, !map.isInvalid(["allow"]) {
      walk.problem(
        map.position(of: ["mode"]),
        "egress.mode allowlist_only with an empty egress.allow forbids every probe",
        hint: "list the ranges that probes may reach in egress.allow")
    }
  }
}

extension EgressRule {
  /// `CIDR`, `CIDR:port`, `[IPv6 CIDR]:port`; a bare address is a range of one.
  init?(text: String) {
    if let range = CIDR(text) {
      self.init(range)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    var range = text[..<colon]
    let digits = text[text.index(after: colon)...]
    let isBracketed = range.hasPrefix("[") && range.hasSuffix("]")
    if isBracketed { range = range.dropFirst().dropLast() }
    guard let cidr = CIDR(range), isBracketed == (cidr.base.version == 6),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0
    else { return nil }
    self.init(cidr, ports: [port])
  }

  /// The form that `init(text:)` reads, one entry for each port.
  var texts: [String] {
    if ports.isEmpty { return [range.description] }
    let address = range.base.version == 6 ? "[\(range)]" : "\(range)"
    return ports.map { "\(address):\($0)" }
  }
}
