// SPDX-License-Identifier: MIT

import Monitoring

// status
extension SettingsBuilder {
  mutating func listen(stateDir: String) -> StatusSettings.Listen {
    let map = root.map("status")
    let position = map.position(of: ["listen"])
    guard let text = map.text("listen") else { return unix("\(stateDir)/agent.sock", position) }
    if text == "off" { return .off }
    if text.hasPrefix("unix:") {
      return unix(normalised(walk.references.absolute(String(text.dropFirst(5)))), position)
    }
    guard let (host, port) = hostAndPort(text) else {
      walk.problem(
        position, "status.listen must be off, host:port or unix:PATH, found \(found(map, "listen", text))",
        hint: "such as 127.0.0.1:9797")
      return .off
    }
    guard host == "localhost" || IPAddress(host) != nil else {
      walk.problem(
        position, "status.listen must be an address, found \(found(map, "listen", text))",
        hint: "such as 0.0.0.0:9797; names that people use for it belong in status.hosts")
      return .off
    }
    return .tcp(host: host, port: port)
  }

  /// Also port 0, which no check may have.
  private func hostAndPort(_ text: String) -> (String, UInt16)? {
    if text.hasSuffix(":0"), let endpoint = Endpoint(text.dropLast() + "1", defaultPort: nil) {
      return (endpoint.host, 0)
    }
    return Endpoint(text, defaultPort: nil).map { ($0.host, $0.port) }
  }

  private mutating func unix(_ path: String, _ position: Position) -> StatusSettings.Listen {
    // sockaddr_un holds 108 bytes, the last of them NUL.
    if path.utf8.count > 107 {
      walk.problem(
        position,
        "status.listen would be a socket path of \(path.utf8.count) bytes, at most 107 are possible",
        hint: "choose a shorter path, such as unix:/run/quartz-agent.sock")
    } else if path.utf8.contains(0) || path.hasSuffix("/") || path == "." {
      walk.problem(position, "status.listen must name a socket after unix:")
    }
    return .unix(path: path)
  }

  /// A value for a message, unless it is secret.
  func found(_ map: TypedMap, _ key: String, _ text: String) -> String {
    map.isSecret([key]) ? Redacted.mark : quoted(text)
  }
}

// egress
extension SettingsBuilder {
  mutating func egress(_ map: TypedMap) -> EgressSettings {
    var settings = EgressSettings()
    settings.mode = map.text("mode").flatMap(EgressSettings.Mode.init) ?? .default
    settings.allow = rules(map, "allow")
    settings.deny = rules(map, "deny")
    if let ports = map.list("ports") {
      settings.ports = ports.compactMap { item in
        guard case .integer(let port) = item.value else { return nil }
        return UInt16(exactly: port)
      }
    }
    if let methods = map.list("methods") { settings.methods = self.methods(methods) }
    settings.proxy = proxy(map)
    settings.allowNames = names(map, hasProxy: map.text("proxy") != nil)
    if settings.proxy != nil, (map.list("allow_names") ?? []).isEmpty, !map.isInvalid(["allow_names"]) {
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
    return settings
  }

  private mutating func proxy(_ map: TypedMap) -> ProxySettings? {
    guard let text = map.text("proxy") else { return nil }
    do {
      return try ProxySettings(parsing: Redacted(text))
    } catch {
      for problem in error.problems {
        walk.problem(map.position(of: ["proxy"]), "egress.\(problem.message)", hint: problem.hint)
      }
      return nil
    }
  }

  private mutating func names(_ map: TypedMap, hasProxy: Bool) -> [String] {
    var names: [String] = []
    for (index, item) in (map.list("allow_names") ?? []).enumerated() {
      guard case .text(let text) = item.value else { continue }
      let isWide = text.hasPrefix("*.")
      let name = try? InternationalName.ascii(isWide ? String(text.dropFirst(2)) : text).lowercased()
      if let name, hostProblem(name) == nil, IPAddress(name) == nil {
        names.append((isWide ? "*." : "") + (name.hasSuffix(".") ? String(name.dropLast()) : name))
      } else {
        walk.problem(
          item.position, "egress.allow_names[\(index)] must be a name, found \(quoted(text))",
          hint: "such as shop.example, or *.shop.example for all names below it")
      }
    }
    if !names.isEmpty, !hasProxy, !map.isInvalid(["proxy"]) {
      walk.problem(
        map.position(of: ["allow_names"]), "egress.allow_names has no effect without egress.proxy",
        hint: "add the proxy, or leave it out")
    }
    return names
  }

  private mutating func methods(_ list: [Typed]) -> [String] {
    var methods: [String] = []
    for (index, item) in list.enumerated() {
      guard case .text(let text) = item.value else { continue }
      if !text.isEmpty, text.utf8.allSatisfy({ (0x41...0x5a).contains($0) }), text != "CONNECT" {
        methods.append(text)
      } else {
        walk.problem(
          item.position, "egress.methods[\(index)] must be an HTTP method in capitals, found \(quoted(text))",
          hint: "such as GET, HEAD or POST")
      }
    }
    return methods
  }

  private mutating func rules(_ map: TypedMap, _ key: String) -> [EgressRule] {
    var rules: [EgressRule] = []
    for (index, item) in (map.list(key) ?? []).enumerated() {
      guard case .text(let text) = item.value else { continue }
      if let rule = EgressRule(text: text) {
        rules.append(rule)
      } else {
        walk.problem(
          item.position,
          "egress.\(key)[\(index)] must be a range of addresses, found \(item.isSecret ? Redacted.mark : quoted(text))",
          hint:
            "such as 10.0.0.0/8, 10.0.0.0/8:443 or [2001:db8::/32]:443; no bit below the prefix may be set")
      }
    }
    return rules
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

  /// What `init(text:)` reads back, one entry for each port.
  var texts: [String] {
    if ports.isEmpty { return [range.description] }
    let address = range.base.version == 6 ? "[\(range)]" : "\(range)"
    return ports.map { "\(address):\($0)" }
  }
}
