// SPDX-License-Identifier: MIT

import Basics

extension AlertChannel {
  /// Judges a definition.
  ///
  /// - Throws: `InvalidAlerts` with every problem found; no message shows a secret.
  package init(_ definition: AlertChannelDefinition) throws(InvalidAlerts) {
    var judge = AlertChannelJudge(definition: definition)
    let name = judge.name()
    let kind = judge.kind()
    let template = judge.template()
    guard judge.problems.isEmpty, let kind else { throw InvalidAlerts(problems: judge.problems) }
    self.init(name: name, kind: kind)
    severity = definition.severity.flatMap(AlertSeverity.init) ?? .low
    (updates, sendsRecovered) = (definition.updates ?? true, definition.recovered ?? true)
    (acknowledged, hidesTargets) = (definition.acknowledged ?? false, definition.hideTargets ?? false)
    (timeout, self.template, unread) = (definition.timeout ?? timeout, template, definition.unread)
  }
}

/// Collects what is wrong with one channel while it reads it.
private struct AlertChannelJudge {
  let definition: AlertChannelDefinition
  var problems: [CheckProblem] = []

  private mutating func problem(_ path: String..., message: String, hint: String? = nil) {
    problems.append(CheckProblem(path, message, hint: hint))
  }

  mutating func name() -> String {
    guard let name = definition.name else {
      problem("name", message: "name is missing", hint: "as rules and commands name the channel")
      return ""
    }
    if let fault = CheckProblem.name(name, most: 60) { problems.append(fault) }
    return name
  }

  mutating func kind() -> AlertChannel.Kind? {
    let given = [
      ("webhook", definition.webhook != nil), ("mail", definition.mail != nil),
      ("exec", definition.exec != nil),
    ].filter(\.1).map(\.0)
    guard given.count == 1 else {
      if given.isEmpty {
        problems.append(
          CheckProblem([], "this channel leads nowhere", hint: "give it one of webhook, mail and exec"))
      } else {
        problem(given[1], message: "a channel is one of webhook, mail and exec, not several")
      }
      return nil
    }
    foreignKeys(given[0])
    switch given[0] {
    case "webhook": return webhook()
    case "mail": return mail()
    default: return exec()
    }
  }

  /// Refuses keys that would have no effect.
  private mutating func foreignKeys(_ kind: String) {
    let keys: [(String, Bool, [String])] = [
      ("format", definition.format != nil, ["webhook"]), ("method", definition.method != nil, ["webhook"]),
      ("headers", definition.headers != nil, ["webhook"]),
      ("routing_key", definition.routingKey != nil, ["webhook"]),
      ("ca_file", definition.caFile != nil, ["webhook", "mail"]),
    ]
    for (key, isGiven, kinds) in keys where isGiven && !kinds.contains(kind) {
      problem(
        key, message: "\(key) has no effect for \(kind)",
        hint: "it belongs to \(kinds.joined(separator: " and "))")
    }
  }

  private mutating func webhook() -> AlertChannel.Kind? {
    let text = definition.webhook?.reveal() ?? ""
    guard let url = try? HTTPURL(text), url.text.utf8.count <= 2048 else {
      // Not a word of it: what is broken may be the secret.
      problem(
        "webhook", message: "webhook must be an http or https URL",
        hint: "such as https://hooks.example/T00/B00")
      return nil
    }
    let format = definition.format.flatMap(WebhookChannel.Format.init) ?? .json
    if format == .ntfy, !url.path.utf8.contains(where: { $0 != 0x2f }) {
      problem(
        "webhook", message: "webhook has no topic, which ntfy takes from the end of the URL",
        hint: "such as https://ntfy.example/alerts")
    }
    let method = definition.method ?? "POST"
    if !["POST", "PUT"].contains(method) {
      problem("method", message: "method must be POST or PUT, found \(quoted(method))")
    }
    var headers: [HeaderField] = []
    for (name, value) in definition.headers ?? [] {
      if !isToken(name) || value.reveal().utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
        problem("headers", message: "headers has a name or a value that cannot be sent: \(quoted(name))")
      } else if ["content-type", "content-length", "host", "transfer-encoding"].contains(name.lowercased()) {
        problem("headers", message: "headers may not set \(quoted(name)): the agent does")
      }
      headers.append(HeaderField(name, value))
    }
    if headers.count > CheckLimits.headers {
      problem("headers", message: "headers may list at most \(CheckLimits.headers), found \(headers.count)")
    }
    if format == .pagerduty, definition.routingKey == nil {
      problem(
        "routing_key", message: "routing_key is missing",
        hint: "the integration key of a PagerDuty service (Events API v2)")
    } else if format != .pagerduty, definition.routingKey != nil {
      problem("routing_key", message: "routing_key has no effect without format: pagerduty")
    }
    return .webhook(
      WebhookChannel(
        url: url, format: format, method: method, headers: headers, routingKey: definition.routingKey,
        caFile: definition.caFile))
  }

  private mutating func mail() -> AlertChannel.Kind? {
    guard let mail = definition.mail else { return nil }
    let security = mail.security.flatMap(MailChannel.Security.init) ?? .starttls
    let standard: UInt16 = security == .implicit ? 465 : security == .none ? 25 : 587
    let server = mail.server.flatMap { Endpoint($0, defaultPort: standard) }.map { server in
      let isASCII = server.host.utf8.allSatisfy { $0 < 0x80 }
      let host = isASCII ? server.host : (try? InternationalName.ascii(server.host)) ?? server.host
      return Endpoint(host: host, port: server.port)
    }
    if mail.server == nil {
      problem("mail", "server", message: "mail.server is missing", hint: "such as smtp.example:587")
    } else if server == nil {
      problem("mail", "server", message: "mail.server must be host:port", hint: "such as smtp.example:587")
    } else if let server, let why = hostProblem(server.host) {
      problem(
        "mail", "server",
        message: "mail.server must be host:port, found the host \(quoted(server.host)), \(why)",
        hint: "such as smtp.example:587")
    }
    if (mail.username == nil) != (mail.password == nil) {
      problem("mail", message: "mail has username or password, but not both")
    }
    if security == .none, mail.password != nil, let server, !isThisMachine(server.host) {
      problem(
        "mail", "tls", message: "mail.tls: none would send the password in plain text",
        hint: "use starttls or implicit")
    }
    let sender = mail.from ?? ""
    if mail.from == nil {
      problem("mail", "from", message: "mail.from is missing", hint: "such as agent@example.com")
    } else if !Self.isAddress(sender) {
      problem("mail", "from", message: "mail.from must be a plain address, found \(quoted(sender))")
    }
    if (mail.to ?? []).isEmpty {
      problem("mail", "to", message: "mail.to is missing", hint: "such as ops@example.com")
    }
    for (index, address) in (mail.to ?? []).enumerated() where !Self.isAddress(address) {
      problem(
        "mail", "to", String(index),
        message: "mail.to[\(index)] must be a plain address, found \(quoted(address))")
    }
    if let count = mail.to?.count, count > 50 {
      problem("mail", "to", message: "mail.to may list at most 50, found \(count)")
    }
    if let hello = mail.hello, hello.isEmpty || hello.utf8.count > 255 || !hello.utf8.allSatisfy(isHelloByte)
    {
      problem(
        "mail", "hello", message: "mail.hello must be a host name, found \(quoted(hello))",
        hint: "such as agent.example.com")
    }
    guard let server else { return nil }
    var channel = MailChannel(
      server: server, security: security, username: mail.username, password: mail.password, sender: sender,
      recipients: mail.to ?? [], caFile: definition.caFile)
    channel.hello = mail.hello
    return .mail(channel)
  }

  /// A dot-atom, an at sign and a domain (RFC 5321, section 4.1.2), in ASCII: nothing that could end a line or an address.
  private static func isAddress(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].count <= 64, !parts[1].isEmpty, parts[1].count <= 255
    else {
      return false
    }
    let isDomain = parts[1].allSatisfy { byte in
      isASCIIAlphanumeric(byte) || byte == 0x2d || byte == 0x2e
    }
    return isDomain && parts[0].allSatisfy { isTokenByte($0) }
  }

  /// Of a domain or an address literal (RFC 5321, section 4.1.3).
  private func isHelloByte(_ byte: UInt8) -> Bool {
    (0x30...0x3a).contains(byte) || (0x41...0x5b).contains(byte) || (0x61...0x7a).contains(byte)
      || [0x2d, 0x2e, 0x5d].contains(byte)
  }

  private mutating func exec() -> AlertChannel.Kind? {
    let command = definition.exec ?? []
    guard let path = command.first, path.hasPrefix("/"), !command.contains(where: { $0.utf8.contains(0) })
    else {
      problem(
        "exec", message: "exec must begin with the absolute path of a program",
        hint: "such as [/usr/local/bin/notify, --all]; no shell reads it")
      return nil
    }
    return .exec(ExecChannel(command: command))
  }

  mutating func template() -> AlertTemplate {
    var template = AlertTemplate()
    for (key, text, path) in [
      ("title", definition.title, \AlertTemplate.title), ("text", definition.text, \AlertTemplate.text),
    ] {
      guard let text else { continue }
      do throws(AlertTemplate.Invalid) {
        template[keyPath: path] = try AlertTemplate.parse(text)
      } catch {
        problem(key, message: "\(key) \(error.message)", hint: error.hint)
      }
    }
    return template
  }
}
