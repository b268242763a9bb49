// SPDX-License-Identifier: MIT

import Basics

/// The definition that a check would be made of: every default written out, secrets left out. Keys that would be
/// refused when it is read again, because they have no effect, are not there.
extension CheckDefinition {
  package init(_ check: MonitoringCheck) {
    self.init()
    id = check.id.description
    name = check.name
    type = check.type.rawValue
    resource = check.resourceID?.description
    plan = check.plan
    interval = check.interval
    timeout = check.timeout
    ip = check.ip.rawValue
    addresses = check.addresses.rawValue
    resolver = check.resolver?.description
    sourceAddress = check.sourceAddress?.description
    switch check.kind {
    case .http(let http): fill(http)
    case .tcp(let tcp): fill(tcp)
    case .tls(let tls):
      (host, port) = (tls.host, Int(tls.port))
      startTLS = tls.startTLS?.rawValue
      fill(tls.options)
      expect.certificate = tls.certificate
    case .dns(let dns): fill(dns)
    case .ping(let ping): fill(ping)
    case .heartbeat(let heartbeat): fill(heartbeat)
    }
  }

  private mutating func fill(_ http: HTTPSettings) {
    self.http = http
    url = http.url.text
    method = http.method
    headers = http.headers.nonEmpty?.map { (name: $0.name, value: $0.value) }
    if let auth = http.auth { fill(auth) }
    maxRedirects = http.follow ? http.maxRedirects : nil
    httpVersion = http.version.rawValue
    proxy = http.proxy.map { Redacted($0.shownText) }
    // Without a body that is read it is refused.
    maxBody = http.readBody != false ? http.maxBody : nil
    // Where no handshake can happen the map is refused.
    if http.url.scheme == .https || http.follow { fill(http.tls) }
    fill(http.expect)
  }

  private mutating func fill(_ way: HTTPAuth) {
    switch way {
    case .basic(let username, let password): (auth.basic.username, auth.basic.password) = (username, password)
    case .digest(let username, let password):
      (auth.digest.username, auth.digest.password) = (username, password)
    case .bearer(let token): auth.bearer = token
    case .oauth2(let settings):
      var given = OAuth2Definition()
      given.tokenURL = settings.tokenURL.text
      given.clientID = settings.clientID
      given.clientSecret = settings.clientSecret
      given.scopes = settings.scopes.nonEmpty
      auth.oauth2 = given
    }
  }

  private mutating func fill(_ wanted: HTTPExpectations) {
    expect.status = wanted.status.map { range in
      range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound)-\(range.upperBound)"
    }
    expect.headers = wanted.headers.map { (name: $0.name, condition: $0.condition.description) }
    expect.json = wanted.json.map { (path: $0.path.description, condition: ConditionText($0.condition)) }
    expect.finalURL = wanted.finalURL?.description
    expect.httpVersion = wanted.httpVersion?.description
    expect.certificate = wanted.certificateDays
  }

  private mutating func fill(_ tcp: TCPSettings) {
    (host, port) = (tcp.host, Int(tcp.port))
    startTLS = tcp.startTLS?.rawValue
    if let options = tcp.tls { fill(options) }
    switch tcp.dialog {
    case .preset(let preset): dialogPreset = preset.rawValue
    case .steps(let steps): dialogSteps = steps.map(DialogStepDefinition.init)
    case nil: break
    }
    expect.certificate = tcp.certificate
  }

  private mutating func fill(_ options: TLSOptions) {
    tls.caFile = options.caFile
    tls.serverName = options.serverName
    tls.verify = options.verify
    tls.minVersion = options.minimumVersion.rawValue
    tls.maxVersion = options.maximumVersion?.rawValue
    tls.both = options.asksBoth ? true : nil
    tls.clientCertificate = options.clientCertificate
    tls.clientKey = options.clientKey
    if options.isStrict { expect.certificateStrict = true }
  }

  private mutating func fill(_ dns: DNSSettings) {
    self.dns = dns
    server = dns.server?.description
    transport = dns.transport.rawValue
    queryName = dns.name
    queryType = dns.recordType
    queryClass = dns.recordClass.rawValue
    if dns.transport == .dot || dns.transport == .doh { fill(dns.tls) }
    expect.rcodes = dns.expect.rcodes
    expect.answersAny = dns.expect.answersAny.nonEmpty?.map(\.description)
    expect.answersAll = dns.expect.answersAll.nonEmpty?.map(\.description)
    expect.answersExact = dns.expect.answersExact.nonEmpty?.map(\.description)
    expect.answersNone = dns.expect.answersNone.nonEmpty?.map(\.description)
    expect.count = dns.expect.count?.description
    expect.ttl = dns.expect.ttl?.description
  }

  private mutating func fill(_ ping: PingSettings) {
    self.ping = ping
    host = ping.host
    pingMethod = ping.method.rawValue
    port = ping.port.map(Int.init)
    packetInterval = ping.packetInterval
    size = ping.method == .icmp ? ping.size : nil
  }
}

extension CheckDefinition {
  fileprivate mutating func fill(_ heartbeat: HeartbeatSettings) {
    (token, grace, maxRun) = (heartbeat.token, heartbeat.grace, heartbeat.maxRun)
    switch heartbeat.rhythm {
    case .period(let length): period = length
    case .cron(let plan, let zone): (cron, timezone) = (plan.text, zone.name)
    }
  }
}

extension DialogStepDefinition {
  fileprivate init(_ step: DialogStep) {
    self.init()
    switch step {
    case .send(let text): send = text
    case .sendHex: sendHex = Redacted("")
    case .expect(.literal(let text)): expect = text
    case .expect(.pattern(let text)): expect = "~ " + text
    case .expectHex(let bytes): expectHex = Base16.text(bytes)
    }
  }
}

extension ConditionText {
  fileprivate init(_ condition: Condition) {
    switch (condition.comparison, condition.type) {
    case (.equal, .word): self.init(condition.operand)
    case (.equal, _): self.init(condition.operand, isPlain: false)
    default: self.init(condition.description, isPlain: false)
    }
  }
}

extension ProxySettings {
  /// User info keeps its form, so that what is printed can be read again.
  package var shownText: String {
    let login = username == nil ? "" : "redacted:redacted@"
    return "\(scheme.rawValue)://\(login)\(endpoint)"
  }
}

extension Array {
  fileprivate var nonEmpty: [Element]? { isEmpty ? nil : self }
}
