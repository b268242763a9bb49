// SPDX-License-Identifier: MIT

import Monitoring

extension SettingsBuilder {
  /// The checks of the file that are right, each with the map it was made from.
  mutating func checks(_ defaults: CheckDefaults) -> [(check: MonitoringCheck, map: TypedMap)] {
    var checks: [(check: MonitoringCheck, map: TypedMap)] = []
    for item in root.list("checks") ?? [] {
      guard case .map(let map) = item.value else { continue }
      emptyStatus(map.map("expect"))
      var definition = definition(map)
      fill(&definition, from: defaults)
      do throws(InvalidCheck) {
        let check = try MonitoringCheck(definition)
        notice(check, map)
        checks.append((check, map))
      } catch {
        for problem in error.problems { report(problem, map) }
      }
    }
    uniqueNames()
    uniqueIDs(checks)
    return checks
  }

  /// An empty list could mean every status or none; nobody should have to guess.
  private mutating func emptyStatus(_ expect: TypedMap) {
    guard let status = expect.list("status"), status.isEmpty else { return }
    walk.problem(
      expect.position(of: ["status"]), "expect.status is empty", hint: "write any to accept every status")
  }

  private func fill(_ definition: inout CheckDefinition, from defaults: CheckDefaults) {
    let interval = definition.interval ?? defaults.interval
    definition.interval = interval
    definition.timeout = definition.timeout ?? min(defaults.timeout, interval)
    definition.retries = definition.retries ?? defaults.retries
    definition.retryDelay = definition.retryDelay ?? defaults.retryDelay
  }

  private mutating func report(_ problem: CheckProblem, _ map: TypedMap) {
    guard !map.isInvalid(problem.path) else { return }
    let position = map.position(of: problem.path)
    guard !map.isSecret(problem.path) || problem.path.isEmpty else {
      walk.problem(
        position, "\(CheckProblem.keyText(problem.path)) comes from a secret file and is not acceptable",
        hint: "the value is not shown; see docs/checks.md for what the key takes")
      return
    }
    walk.problem(position, problem.message, hint: problem.hint)
  }

  /// What is allowed and yet worth a word.
  private mutating func notice(_ check: MonitoringCheck, _ map: TypedMap) {
    guard case .http(let http) = check.kind else { return }
    if http.auth != nil, http.url.scheme == .http, http.url.host != "localhost",
      IPAddress(http.url.host)?.isLoopback != true
    {
      walk.warn(map.position(of: ["auth"]), "auth is sent in clear: the url is http", hint: "use https")
    }
    if let url = map["url"], url.isSecret, url.sourceFile != nil {
      walk.warn(
        url.position, "url comes from a secret file, but is shown up to its query",
        hint: "put the reference behind the question mark")
    }
  }

  /// Also the names of checks that have other problems: both are found in one run.
  private mutating func uniqueNames() {
    var first: [String: Position] = [:]
    for item in root.list("checks") ?? [] {
      guard case .map(let map) = item.value, let name = map.text("name") else { continue }
      let position = map.position(of: ["name"])
      guard let earlier = first[name] else {
        first[name] = position
        continue
      }
      walk.problem(
        position, "name \(found(map, "name", name)) is used twice",
        hint: "the first is in line \(earlier.line)")
    }
  }

  private mutating func uniqueIDs(_ checks: [(check: MonitoringCheck, map: TypedMap)]) {
    var first: [UniqueID: Int] = [:]
    for (index, item) in checks.enumerated() {
      guard let earlier = first[item.check.id] else {
        first[item.check.id] = index
        continue
      }
      // Equal names make equal ids; that was said already.
      guard checks[earlier].check.name != item.check.name else { continue }
      walk.problem(
        item.map.position(of: ["id"]), "id \(item.check.id) is used twice",
        hint: "the first is in line \(checks[earlier].map.position(of: ["id"]).line)")
    }
  }
}

// From typed keys to the definition: nothing is judged here.
extension SettingsBuilder {
  private func definition(_ map: TypedMap) -> CheckDefinition {
    var check = CheckDefinition()
    check.id = map.text("id")
    check.name = map.text("name")
    check.type = map.text("type")
    check.enabled = map.flag("enabled")
    check.post = map.flag("post")
    check.resource = map.text("resource")
    check.tags = map.texts("tags")
    check.interval = map.duration("interval")
    check.timeout = map.duration("timeout")
    check.retries = map.integer("retries")
    check.retryDelay = map.duration("retry_delay")
    check.confirmDelay = map.duration("confirm_delay")
    check.ip = map.text("ip")
    request(map, &check)
    endpoint(map, &check)
    expectations(map.map("expect"), &check)
    return check
  }

  private func request(_ map: TypedMap, _ check: inout CheckDefinition) {
    check.url = map.text("url")
    check.method = map.text("method")
    if map["headers"] != nil {
      let headers = map.map("headers")
      check.headers = headers.entries.map { entry in
        (name: entry.name, value: Redacted(headers.text(entry.name) ?? ""))
      }
    }
    check.body = map.text("body").map(Redacted.init)
    let auth = map.map("auth")
    if auth["basic"] != nil {
      // An empty name or password is reported as missing, with its place.
      check.basicUsername = auth.map("basic").text("username") ?? ""
      check.basicPassword = auth.map("basic").text("password").map(Redacted.init)
    }
    check.bearer = auth.text("bearer").map(Redacted.init)
    check.follow = map.flag("follow")
    check.maxRedirects = map.integer("max_redirects")
    check.allowDowngrade = map.flag("allow_downgrade")
    check.maxBody = map.integer("max_body")
  }

  private func endpoint(_ map: TypedMap, _ check: inout CheckDefinition) {
    check.host = map.text("host")
    check.port = map.integer("port")
    let tls = map.map("tls")
    check.tlsCAFile = tls.text("ca_file").map { $0.isEmpty ? $0 : normalised(walk.references.absolute($0)) }
    check.tlsServerName = tls.text("server_name")
    check.tlsVerify = tls.flag("verify")
    check.server = map.text("server")
    let query = map.map("query")
    check.queryName = query.text("name")
    check.queryType = query.text("type")
    check.queryRecursion = query.flag("recursion")
    check.count = map.integer("count")
    check.packetInterval = map.duration("packet_interval")
    check.size = map.integer("size")
  }

  private func expectations(_ map: TypedMap, _ check: inout CheckDefinition) {
    let status = map.texts("status")
    // To the judge, `any` is the empty list.
    check.expectStatus = status == ["any"] ? [] : (status?.isEmpty == true ? nil : status)
    check.expectBodyContains = map.map("body").texts("contains")
    check.expectBodyNotContains = map.map("body").texts("not_contains")
    check.expectRcode = map.texts("rcode")
    check.expectAnswersAny = map.map("answers").texts("any")
    check.expectResponseTime = durations(map.map("response_time"))
    check.expectCertificate = durations(map.map("certificate"))
    check.expectLoss = Thresholds(warn: map.map("loss").number("warn"), fail: map.map("loss").number("fail"))
    check.expectRTT = durations(map.map("rtt"))
  }

  private func durations(_ map: TypedMap) -> Thresholds<Duration> {
    Thresholds(warn: map.duration("warn"), fail: map.duration("fail"))
  }
}
