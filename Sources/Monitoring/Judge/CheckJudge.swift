// SPDX-License-Identifier: MIT

import Basics

/// Collects what is wrong with one definition while it reads it.
///
/// Every method looks at all of its keys, also after the first problem; what it returns is used only when there
/// was none.
struct CheckJudge {
  let definition: CheckDefinition
  let patterns: PatternRule
  var problems: [CheckProblem] = []
  /// As given, or the default; what the other rules are measured against.
  let interval: Duration
  let timeout: Duration

  init(_ definition: CheckDefinition, patterns: PatternRule) {
    self.definition = definition
    self.patterns = patterns
    self.interval = definition.interval ?? .seconds(60)
    self.timeout = definition.timeout ?? min(.seconds(10), interval)
  }

  /// Settings of every kind of check.
  struct Common {
    var id: UniqueID
    var name: String
    var resourceID: UniqueID?
    var ip: IPPreference
    var addresses: AddressScope
    var resolver: Endpoint?
    var sourceAddress: IPAddress?
  }

  mutating func common() -> Common? {
    let name = name()
    let id = uuid(definition.id, "id")
    let former = former()
    let resourceID = uuid(definition.resource, "resource")
    tags()
    dependencies()
    schedule()
    confirm()
    let ip = choice(definition.ip, ["ip"], IPPreference.self) ?? .any
    thresholds(
      definition.responseTime, ["expect", "response_time"], within: CheckLimits.responseTime,
      atMost: timeout)
    let addresses = choice(definition.addresses, ["addresses"], AddressScope.self) ?? .any
    let resolver = definition.resolver.flatMap { nameServer($0, ["resolver"], defaultPort: 53) }
    let source = sourceAddress(ip)
    guard let name else { return nil }
    return Common(
      id: id ?? MonitoringCheck.derivedID(name: former ?? name), name: name, resourceID: resourceID, ip: ip,
      addresses: addresses, resolver: resolver, sourceAddress: source)
  }

  /// A heartbeat is there at the first look: there is nothing to try again.
  var plan: CheckPlan {
    var plan = definition.plan
    if definition.type == CheckType.heartbeat.rawValue { (plan.retries, plan.confirmDelay) = (0, .zero) }
    return plan
  }

  mutating func kind() -> CheckKind? {
    guard let text = definition.type else {
      problem(["type"], "type is missing", hint: "one of \(words(CheckType.self))")
      return nil
    }
    switch choice(text, ["type"], CheckType.self) {
    case .http: return http().map(CheckKind.http)
    case .tcp: return tcp().map(CheckKind.tcp)
    case .dns: return dns().map(CheckKind.dns)
    case .tls: return tls().map(CheckKind.tls)
    case .ping: return ping().map(CheckKind.ping)
    case .heartbeat: return heartbeat().map(CheckKind.heartbeat)
    case nil: return nil
    }
  }
}

// What every kind has.
extension CheckJudge {
  /// Keys about the addresses of a name, for a host that is an address itself. A stranger's columns are filled in for
  /// every check, so they are only of interest where a person wrote them.
  mutating func literal(_ kind: CheckKind, _ common: Common) {
    guard definition.origin == .local else { return }
    for place in kind.places {
      guard let address = IPAddress(place.host) else { continue }
      let family = "\(place.words) is an IPv\(address.version) address"
      if common.ip != .any, common.ip.rawValue != String(address.version) {
        problem(["ip"], "ip is \(common.ip.rawValue), but \(family)")
      } else if let source = common.sourceAddress, source.version != address.version {
        problem(["source_address"], "source_address is an IPv\(source.version) address, but \(family)")
      }
    }
    guard let host = kind.dialled?.host, IPAddress(host) != nil else { return }
    if common.addresses == .each {
      problem(
        ["addresses"], "addresses: each has no effect, for \(host) is an address itself",
        hint: "it is for names, which may have several")
    }
  }

  private mutating func name() -> String? {
    guard let name = definition.name else {
      problem(
        ["name"], "name is missing", hint: "every check needs a name of its own, such as \"Shop front\"")
      return nil
    }
    guard name.contains(where: { !$0.isWhitespace }) else {
      problem(["name"], "name is empty")
      return nil
    }
    checkText(name, ["name"], maxBytes: CheckLimits.nameBytes)
    return name
  }

  private mutating func former() -> String? {
    guard let name = definition.was else { return nil }
    guard name.contains(where: { !$0.isWhitespace }) else {
      problem(["was"], "was is empty", hint: "give the former name, or remove the key")
      return nil
    }
    if definition.id != nil {
      problem(["was"], "was has no effect beside id", hint: "results and history belong to id: remove was")
    }
    checkText(name, ["was"], maxBytes: CheckLimits.nameBytes)
    return name
  }

  private mutating func tags() {
    let tags = definition.tags
    if tags.count > CheckLimits.tags {
      problem(["tags"], "tags has \(tags.count) entries, at most \(CheckLimits.tags) are allowed")
    }
    for (index, tag) in tags.enumerated() {
      let path = ["tags", String(index)]
      if tag.isEmpty { problem(path, "\(CheckProblem.keyText(path)) is empty") }
      checkText(tag, path, maxBytes: CheckLimits.tagBytes)
      if tags[..<index].contains(tag) {
        problem(path, "\(CheckProblem.keyText(path)) repeats \"\(tag.shown(maxBytes: 80))\"")
      }
    }
  }

  /// Whether the named checks exist is judged where the whole list is known.
  private mutating func dependencies() {
    let words = definition.plan.dependsOn
    for (index, word) in words.enumerated() {
      let path = ["depends_on", String(index)]
      if word.isEmpty || DependencyRule.tag(in: word)?.isEmpty == true {
        problem(
          path, "\(CheckProblem.keyText(path)) is empty", hint: "a check's name or id, or tag: and a tag")
      }
      checkText(word, path, maxBytes: CheckLimits.nameBytes)
      if words[..<index].contains(word) {
        problem(path, "\(CheckProblem.keyText(path)) repeats \"\(word.shown(maxBytes: 80))\"")
      }
    }
  }

  private mutating func sourceAddress(_ ip: IPPreference) -> IPAddress? {
    guard let text = definition.sourceAddress else { return nil }
    guard let address = IPAddress(text) else {
      problem(
        ["source_address"], "source_address must be an address, found \"\(text.shown(maxBytes: 60))\"",
        hint: "one of this machine's own, such as 192.0.2.7")
      return nil
    }
    if address.isNobodys {
      problem(
        ["source_address"], "source_address \(address) is no address a machine can have",
        hint: "one of this machine's own, such as 192.0.2.7")
    }
    if ip != .any, ip.rawValue != String(address.version) {
      problem(
        ["source_address"], "source_address is an IPv\(address.version) address, but ip is \(ip.rawValue)")
    }
    return address
  }

  private mutating func schedule() {
    ranged(definition.interval, ["interval"], CheckLimits.interval)
    ranged(definition.failureThreshold, ["failure_threshold"], CheckLimits.failureThreshold)
    if let failing = definition.intervalFailing, ranged(failing, ["interval_failing"], CheckLimits.interval),
      failing > interval
    {
      problem(
        ["interval_failing"],
        "interval_failing must be at most the interval (\(interval.text)), found \(failing.text)",
        hint: "it is for looking more often while the check is down")
    }
    if ranged(definition.timeout, ["timeout"], CheckLimits.timeout), timeout > interval {
      problem(
        ["timeout"], "timeout must be at most the interval (\(interval.text)), found \(timeout.text)",
        hint: "a check never overlaps itself")
    }
    ranged(definition.retries, ["retries"], CheckLimits.retries)
    ranged(definition.retryDelay, ["retry_delay"], CheckLimits.delay)
    ranged(definition.confirmDelay, ["confirm_delay"], CheckLimits.delay)
    // The backend fills in a confirmation delay for every check, also for those without retries, and ignores it
    // there; a person who writes both means something that will not happen.
    if definition.origin == .local, definition.retries == 0, definition.confirmDelay > .zero {
      problem(
        ["confirm_delay"], "confirm_delay has no effect with retries 0",
        hint: "the confirmation comes after the last retry; leave one of them out")
    }
  }
}

extension CheckKind {
  /// The hosts that are dialled for it, as messages name them: the target's, the proxy's in its place, and that of an
  /// endpoint for tokens.
  fileprivate var places: [(host: String, words: String)] {
    var places = (dialled?.host).map { [(host: $0, words: $0)] } ?? []
    guard case .http(let http) = self else { return places }
    if let proxy = http.proxy {
      places.append((proxy.endpoint.host, "proxy \(proxy.endpoint.host)"))
    } else if case .oauth2(let oauth2) = http.auth {
      places.append((oauth2.tokenURL.host, "token_url's host \(oauth2.tokenURL.host)"))
    }
    return places
  }
}
