// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// From a request to its answer. Only reads, by GET and HEAD, but for the one POST that runs a check.
struct Routes: Sendable {
  let source: any StatusSource
  let hosts: AllowedHosts
  var runNow = RunNowGate(token: nil)
  let button = RunButton()
  /// Nil: everybody who gets here may read.
  var readGate: ReadGate?
  /// Listens on a unix socket: the file system says who may ask.
  var isSocket = false

  /// Longest request target, bytes.
  static let maxTarget = 2048

  func reply(to request: StatusRequest) async -> Reply {
    guard hosts.contains(request.host) else {
      return Reply(421, text: "this host name is not served here; use 127.0.0.1 or localhost\n")
    }
    guard readGate?.admits(request.authorization) ?? true || request.isHealth else {
      var reply = failure(
        401, "UNAUTHORIZED",
        "send status.read_token: Authorization: Bearer, or as the password of Authorization: Basic")
      reply.challenge = "quartz-agent"
      return reply
    }
    guard request.method != .other else {
      var reply = failure(405, "METHOD_NOT_ALLOWED", "only GET and HEAD are possible")
      reply.allow = "GET, HEAD"
      return reply
    }
    if request.isSubmission, let body = request.body {
      return await submit(body, authorization: request.authorization)
    }
    guard !request.hasBody else { return failure(413, "BODY_REFUSED", "a request here has no body") }
    guard request.target.utf8.count <= Self.maxTarget else {
      return failure(414, "URI_TOO_LONG", "the address is longer than \(Self.maxTarget) bytes")
    }
    guard let path = RequestPath(request.target) else {
      return failure(400, "BAD_REQUEST", "the address is malformed")
    }
    if request.method == .post, path.segments == ["api", "v1", "spool", "resubmit"] {
      return await resubmit(authorization: request.authorization)
    }
    if request.method == .post, path.segments.count == 3, path.segments[0] == "checks",
      path.segments[2] == "run"
    {
      return await runFromPage(path, request)
    }
    if request.method == .post { return await run(path, authorization: request.authorization) }
    var reply: Reply
    do throws(BadRequest) {
      reply = try await route(path)
    } catch {
      reply = failure(400, "BAD_REQUEST", error.message)
    }
    reply.omitsBody = request.method == .head
    return reply
  }

  private func route(_ path: RequestPath) async throws(BadRequest) -> Reply {
    switch path.segments {
    case []: return try dashboard(await source.snapshot(), path)
    case ["livez"]: return Reply(200, text: "alive\n")
    case ["readyz"]:
      return await source.isReady() ? Reply(200, text: "ready\n") : Reply(503, text: source.unready + "\n")
    case ["metrics"]: return Reply(200, .metrics, OpenMetrics.render(await source.snapshot()))
    case let segments where segments.first == "checks" && segments.count == 2:
      return await checkPage(segments[1])
    case let segments where segments.starts(with: ["api", "v1"]):
      return try await api(Array(segments.dropFirst(2)), path)
    default: return failure(404, "NOT_FOUND", "no such page; the start page is /")
    }
  }

  private func api(_ segments: [String], _ path: RequestPath) async throws(BadRequest) -> Reply {
    switch segments {
    case ["summary"]:
      let full = try path.flag("full")
      let snapshot = await source.snapshot()
      return json(snapshot) { snapshot.writeSummary(full: full, to: &$0) }
    case ["status.txt"]:
      let text = StatusText(
        width: try path.number("width", in: 40...1000, default: 100), color: try path.flag("color"))
      return Reply(200, text: text.render(await source.snapshot()))
    case ["checks"]: return try await checks(path)
    case let rest where rest.first == "spool": return try await spool(Array(rest.dropFirst()), path)
    default: break
    }
    guard segments.first == "checks", segments.count <= 3, let id = UniqueID(segments[1]) else {
      return failure(404, "NOT_FOUND", "no such document; docs/status.md lists them")
    }
    let snapshot = await source.snapshot()
    guard let check = snapshot.check(id) else { return failure(404, "NOT_FOUND", "no check has this id") }
    switch segments.dropFirst(2).first {
    case nil: return json(snapshot) { check.write(to: &$0) }
    case "uptime": return try uptime(check, snapshot, path)
    case "results": return try await results(id, snapshot, path)
    default: return failure(404, "NOT_FOUND", "no such document; docs/status.md lists them")
    }
  }

  private func checks(_ path: RequestPath) async throws(BadRequest) -> Reply {
    let (limit, offset) = try range(path, maximum: 1000)
    let snapshot = await source.snapshot()
    let filter = try ListFilter(path)
    let found = snapshot.checks.filter(filter.matches)
    let page = StatusJSON.Page(total: found.count, limit: limit, offset: offset)
    return json(snapshot, page) { json in
      json.array { json in
        for check in found.dropFirst(offset).prefix(limit) { check.write(to: &json) }
      }
    }
  }

  private func uptime(_ check: CheckStatus, _ snapshot: StatusSnapshot, _ path: RequestPath)
    throws(BadRequest)
    -> Reply
  {
    guard let text = path["period"] else {
      return json(snapshot) { json in
        json.array { json in
          for window in check.windows { window.write(to: &json) }
        }
      }
    }
    guard let period = UptimePeriod(word: text) else {
      throw BadRequest(
        "period must be one of \(UptimePeriod.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return json(snapshot) { check.window(period).write(to: &$0) }
  }

  private func results(_ id: UniqueID, _ snapshot: StatusSnapshot, _ path: RequestPath)
    async throws(BadRequest)
    -> Reply
  {
    let (limit, offset) = try range(path, maximum: 100)
    let results = await source.recent(id) ?? []
    let page = StatusJSON.Page(total: results.count, limit: limit, offset: offset)
    return json(snapshot, page) { json in
      json.array { json in
        for result in results.dropFirst(offset).prefix(limit) { result.write(to: &json) }
      }
    }
  }

  private func range(_ path: RequestPath, maximum: Int) throws(BadRequest) -> (limit: Int, offset: Int) {
    (
      try path.number("limit", in: 1...maximum, default: min(100, maximum)),
      try path.number("offset", in: 0...1_000_000, default: 0)
    )
  }

  private func dashboard(_ snapshot: StatusSnapshot, _ path: RequestPath) throws(BadRequest) -> Reply {
    let list = DashboardPage.List(
      filter: try ListFilter(path), page: try path.number("page", in: 1...100_000, default: 1))
    return html { DashboardPage(snapshot: snapshot, list: list).render(nonce: $0) }
  }

  private func checkPage(_ text: String) async -> Reply {
    let snapshot = await source.snapshot()
    guard let id = UniqueID(text), let check = snapshot.check(id) else {
      return html(404) { MissingPage(snapshot: snapshot).render(nonce: $0) }
    }
    var page = CheckPage(snapshot: snapshot, check: check, results: await source.recent(id) ?? [])
    if runNow.token != nil, check.enabled { page.runAddress = button.address(of: id) }
    return html { page.render(nonce: $0) }
  }

  func html(_ status: Int = 200, _ render: (String) -> Markup) -> Reply {
    // Fresh for each answer, so that no text that got into the page by mistake could carry it.
    let nonce =
      String(UInt64.random(in: .min ... .max), radix: 36)
      + String(UInt64.random(in: .min ... .max), radix: 36)
    return Reply(status, .html, Array(render(nonce).html.utf8), styleNonce: nonce)
  }

  private func json(
    _ snapshot: StatusSnapshot, _ page: StatusJSON.Page? = nil, _ data: (inout JSONWriter) -> Void
  ) -> Reply {
    Reply(200, .json, StatusJSON.success(now: snapshot.now, page: page, data))
  }

  func failure(_ status: Int, _ code: String, _ message: String) -> Reply {
    Reply(status, .json, StatusJSON.failure(code: code, message: message, now: source.now))
  }
}

/// What the list shows: all, one state, what is in maintenance, or names and targets that contain a text.
struct ListFilter: Hashable, Sendable {
  var state: CheckState?
  /// In no state of those above, as in the counts.
  var maintenance = false
  var text = ""

  static let maintenanceWord = "maintenance"

  /// As in the address; nil: all.
  var word: String? { maintenance ? Self.maintenanceWord : state?.rawValue }

  init() {}

  init(_ path: RequestPath) throws(BadRequest) {
    text = String((path["q"] ?? "").prefix(100))
    guard let state = path["state"], !state.isEmpty else { return }
    if state == Self.maintenanceWord {
      maintenance = true
      return
    }
    guard let known = CheckState(word: state) else {
      let words = CheckState.allCases.map(\.rawValue) + [Self.maintenanceWord]
      throw BadRequest("state must be one of \(words.joined(separator: ", "))")
    }
    self.state = known
  }

  func matches(_ check: CheckStatus) -> Bool {
    if state != nil || maintenance {
      guard check.enabled, maintenance == (check.maintenance != nil), maintenance || check.state == state
      else {
        return false
      }
    }
    if text.isEmpty { return true }
    let wanted = text.lowercased()
    return check.name.lowercased().contains(wanted) || check.target.lowercased().contains(wanted)
      || check.tags.contains { $0.lowercased().contains(wanted) }
  }
}
