// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Names and tokens that only one check may have.
private struct TakenMarks {
  private var names: Set<ByteText> = []
  private var ids: Set<UniqueID> = []
  private var tokens: Set<Redacted> = []

  mutating func insert(_ check: MonitoringCheck) {
    names.insert(ByteText(check.name))
    ids.insert(check.id)
    if let token = check.token { tokens.insert(token) }
  }

  /// Why the check cannot be one beside those before it.
  func objection(to check: MonitoringCheck) -> String? {
    if check.plan.dependsOn.contains(where: { ByteText($0) == ByteText(check.name) }) {
      return "it would depend on itself"
    }
    if names.contains(ByteText(check.name)) { return "another check has the name \(quoted(check.name))" }
    if ids.contains(check.id) { return "another check has the id \(check.id)" }
    if let token = check.token, tokens.contains(token) { return "another check has its token" }
    return nil
  }
}

extension MonitoringCheck {
  /// Of a heartbeat; nil as well where no configuration gave it.
  fileprivate var token: Redacted? {
    guard case .heartbeat(let settings) = kind, settings.token.reveal() != Redacted.mark else { return nil }
    return settings.token
  }
}

extension SettingsBuilder {
  /// The checks of the file that are right, each with the map it was made from.
  mutating func checks() -> [(check: MonitoringCheck, map: GivenMap)] {
    var checks: [(check: MonitoringCheck, map: GivenMap)] = []
    var kept: [Given] = []
    var taken = TakenMarks()
    for (item, role) in zip(root["checks"]?.list ?? [], walk.roles) {
      guard case .map(let map) = item.value else {
        kept.append(item)
        continue
      }
      let before = walk.reader
      let check = check(map)
      guard walk.mayStay(role, since: before), role != .example else { continue }
      if case .found(let target) = role, let check, let why = taken.objection(to: check) {
        walk.leaveOut(target, why)
        continue
      }
      kept.append(item)
      guard let check else { continue }
      taken.insert(check)
      checks.append((check, map))
    }
    root.replace("checks", kept)
    uniqueNames()
    uniqueIDs(checks)
    uniqueTokens(checks)
    return checks
  }

  /// `nil` where it has a problem, which is reported already.
  private mutating func check(_ map: GivenMap) -> MonitoringCheck? {
    walk.reader.check = map["name"]?.text
    defer { walk.reader.check = nil }
    emptyStatus(map.map("expect"))
    var definition = CheckDefinition()
    // What is built in: the file's own defaults are among the check's keys, unless a null took them away.
    let defaults = CheckDefaults()
    (definition.retries, definition.retryDelay) = (defaults.retries, defaults.retryDelay)
    definition.read(map, &walk.reader)
    let fromFile = bodyFile(map)
    definition.http.body = definition.http.body ?? fromFile
    fill(&definition, from: defaults, map)
    definition.unread = unread(map)
    do throws(InvalidCheck) {
      let check = try MonitoringCheck(definition, patterns: patterns)
      notice(check, map)
      notice(check, unheard: map)
      notice(check, outlasting: map)
      return check
    } catch {
      if definition.unread != nil { return standIn(for: definition, map) }
      for problem in error.problems { report(problem, map) }
      return nil
    }
  }

  /// An empty list could mean every status or none, so it is refused.
  private mutating func emptyStatus(_ expect: GivenMap) {
    guard let status = expect["status"]?.list, status.isEmpty else { return }
    walk.problem(
      expect.position(of: ["status"]), "expect.status is empty", hint: "write any to accept every status")
  }

  /// Read once, here: a probe never waits for a disk. A change of the file counts from the next reload on.
  private mutating func bodyFile(_ map: GivenMap) -> Redacted? {
    guard let path = map["body_file"]?.text else { return nil }
    let position = map.position(of: ["body_file"])
    if map["body"] != nil {
      walk.problem(position, "body and body_file both give the body", hint: "keep one of them")
      return nil
    }
    do throws(SecretFiles.Note) {
      return Redacted(try walk.references.files.readBody(normalised(walk.references.absolute(path))))
    } catch {
      walk.problem(position, "body_file: the file \(quoted(path)) \(error.message)", hint: error.hint)
      return nil
    }
  }

  /// A timeout of some defaults gives way to a shorter interval: the two were not written for each other.
  private func fill(_ definition: inout CheckDefinition, from defaults: CheckDefaults, _ map: GivenMap) {
    let interval = definition.interval ?? defaults.interval
    definition.interval = interval
    let isOwn = map["timeout"].map { $0.position.layer != .defaults } ?? false
    let timeout = definition.timeout ?? defaults.timeout
    definition.timeout = isOwn ? timeout : min(timeout, interval)
  }

  mutating func report(_ problem: CheckProblem, _ map: GivenMap) {
    guard !map.isInvalid(problem.path) else { return }
    let position = map.position(of: problem.path)
    guard !map.isSecret(problem.path) || problem.path.isEmpty else {
      walk.problem(
        position, secretFault(problem, map),
        hint: "the value is not shown; see docs/checks.md for what the key takes")
      return
    }
    walk.problem(position, problem.message, hint: problem.hint)
  }

  /// Warns of allowed values that are likely mistakes.
  private mutating func notice(_ check: MonitoringCheck, _ map: GivenMap) {
    guard case .http(let http) = check.kind else { return }
    if http.auth != nil, http.url.scheme == .http, !isThisMachine(http.url.host) {
      walk.warn(map.position(of: ["auth"]), "auth is sent in clear: the url is http", hint: "use https")
    }
    if let proxy = http.proxy, proxy.password != nil, !isThisMachine(proxy.endpoint.host) {
      walk.warn(
        map.position(of: ["proxy"]), "proxy gets its password in clear",
        hint: "use one without a password on a trusted network")
    }
  }

  /// Also the names of checks that have other problems: both are found in one run.
  private mutating func uniqueNames() {
    var first: [ByteText: Position] = [:]
    for item in root["checks"]?.list ?? [] {
      guard case .map(let map) = item.value, let name = map["name"]?.text else { continue }
      let position = map.position(of: ["name"])
      guard let earlier = first[ByteText(name)] else {
        first[ByteText(name)] = position
        continue
      }
      walk.problem(
        position, "name \(found(map, "name", name)) is used twice",
        hint: "the first is in \(walk.place(earlier, from: position))")
    }
  }

  /// A run that may take longer than the interval. Only where its retries are written: the defaults alone need no word.
  private mutating func notice(_ check: MonitoringCheck, outlasting map: GivenMap) {
    guard let key = ["retries", "retry_delay"].first(where: { map[$0] != nil }) else { return }
    let retries = check.plan.retries
    let most = check.timeout * (1 + retries) + check.plan.retryDelay * retries
    guard retries > 0, most > check.interval else { return }
    walk.warn(
      map.position(of: [key]),
      "\(1 + retries) attempts take up to \(most.spelled), longer than the interval of \(check.interval.spelled)",
      hint: "lower timeout or retries, or raise interval; slots that a run outlasts take its verdict")
  }

  /// Without a status server no job can report.
  private mutating func notice(_ check: MonitoringCheck, unheard map: GivenMap) {
    let status = root.map("status")
    guard check.type == .heartbeat, status["listen"]?.text == "off", status["public"] == nil else { return }
    walk.warn(
      map.position(of: ["type"]), "no job can report to this check: status.listen is off",
      hint: "give status.listen an address, or leave it out for a unix socket")
  }

  /// A report says by its token which job it is of, and by nothing else.
  private mutating func uniqueTokens(_ checks: [(check: MonitoringCheck, map: GivenMap)]) {
    var first: [Redacted: MonitoringCheck] = [:]
    for item in checks {
      guard let token = item.check.token else { continue }
      guard let earlier = first[token] else {
        first[token] = item.check
        continue
      }
      walk.problem(
        item.map.position(of: ["token"]), "token is that of the check \(quoted(earlier.name)) too",
        hint: "give each job a token of its own; make one: openssl rand -hex 16")
    }
  }

  private mutating func uniqueIDs(_ checks: [(check: MonitoringCheck, map: GivenMap)]) {
    var first: [UniqueID: Int] = [:]
    for (index, item) in checks.enumerated() {
      guard let earlier = first[item.check.id] else {
        first[item.check.id] = index
        continue
      }
      // Equal names make equal ids; that was said already.
      guard checks[earlier].check.name != item.check.name else { continue }
      if let (renamed, other) = [(item, checks[earlier]), (checks[earlier], item)].first(where: {
        $0.0.map["was"] != nil
      }) {
        walk.problem(
          renamed.map.position(of: ["was"]),
          "was names \(found(renamed.map, "was", renamed.map["was"]?.text ?? "")), whose history belongs to the check "
            + quoted(other.check.name),
          hint: "a former name belongs to one check: remove was, or give one of them another name")
        continue
      }
      let position = item.map.position(of: ["id"])
      walk.problem(
        position, "id \(item.check.id) is used twice",
        hint: "the first is in \(walk.place(checks[earlier].map.position(of: ["id"]), from: position))")
    }
  }
}
