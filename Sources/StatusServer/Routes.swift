// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// From a request to its answer. Reads by GET and HEAD; the few POSTs do something and need leave.
struct Routes: Answering {
  let source: any StatusSource
  let hosts: AllowedHosts
  var runNow = RunNowGate(token: nil)
  var button = PageForms()
  /// `nil` where every client may read.
  var readGate: ReadGate?
  /// Listens on a unix socket: the file system says who may ask.
  var isSocket = false
  /// Which agent this is; `nil` where it has no socket for commands.
  var mark: String?
  /// `nil` without events.
  var feed: LiveFeed?

  /// Told of an answer that says that the agent failed: its status and the request's id.
  var logFailure: @Sendable (Int, String) -> Void = { _, _ in }
  /// Knows who is signed in on the page.
  var signIn = SignInDesk(StatusAccess())
  /// Told of each attempt to sign in: whether it succeeded, the name that was given, and from where.
  var logSignIn: @Sendable (Bool, String?, String) -> Void = { _, _, _ in }

  /// Longest request target, bytes.
  static let maxTarget = 2048
  /// The same of a POST, which has the words of a post in it.
  static let maxOrder = 6144

  /// A JSON document names its request, and so do the header `X-Request-Id` and the log line of a failure.
  func reply(to request: StatusRequest) async -> Reply {
    var generator = RandomPool()
    let id = UniqueID.v7(at: source.now, using: &generator).description
    var routes = self
    // A proxy that may open the socket passes on what comes from anywhere.
    if request.isForwarded { routes.isSocket = false }
    var reply = await StatusJSON.$requestID.withValue(id) { [routes] in await routes.answer(to: request) }
    guard case .json = reply.kind else { return reply }
    reply.requestID = id
    if reply.status >= 500 { logFailure(reply.status, id) }
    return reply
  }

  private func answer(to request: StatusRequest) async -> Reply {
    guard hosts.contains(request.host) else {
      return Reply(
        421,
        text: "this host name is not served here; add it to status.hosts, or use 127.0.0.1 or localhost\n")
    }
    if let reply = signInAnswer(to: request) { return reply }
    guard mayRead(request) || request.isHealth else {
      // A person gets a page to sign in on, a program what it is to send.
      if request.wantsPage, request.isReading || request.isForm {
        return signInRefused(401, nil, PageAct.back(request.target))
      }
      var reply = failure(401, "UNAUTHORIZED", readGate?.refusal(isForwarded: request.isForwarded) ?? "")
      reply.challenge = .basic
      return reply
    }
    guard request.method != .other else { return refusedMethod(RequestPath(request.target)) }
    if request.isSubmission, let body = request.body ?? (request.hasBody ? nil : []) {
      return await submit(body, authorization: request.authorization)
    }
    if request.method == .post, request.path == FormPath.act { return await act(request) }
    guard !request.hasBody else {
      return failure(
        413, "BODY_REFUSED",
        request.isSubmission
          ? "more than \(StatusRequest.longestBody >> 20) MiB: send the results in parts"
          : "a request here has no body")
    }
    let most = request.method == .post ? Self.maxOrder : Self.maxTarget
    guard request.target.utf8.count <= most else {
      return failure(414, "URI_TOO_LONG", "the address is longer than \(most) bytes")
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
    if request.method == .post, let reply = await order(path, authorization: request.authorization) {
      return reply
    }
    if request.method == .post { return await run(path, authorization: request.authorization) }
    var reply: Reply
    do throws(BadRequest) {
      reply = try await route(path, request)
    } catch {
      reply = failure(400, "BAD_REQUEST", error.message)
    }
    reply.omitsBody = request.method == .head
    return reply
  }

  private func mayRead(_ request: StatusRequest) -> Bool {
    readGate?.admits(request.authorization, isShare: request.isShare, isForwarded: request.isForwarded)
      ?? true
      || signIn.person(request.cookie, at: request.port, now: source.now) != nil
  }

  /// `nil`: the request is for something else.
  private func signInAnswer(to request: StatusRequest) -> Reply? {
    switch (request.path, request.method) {
    case (FormPath.signIn, .get), (FormPath.signIn, .head):
      return RequestPath(request.target).map { signInPage($0, request) }
    case (FormPath.signIn, .post): return signedIn(request)
    case (FormPath.signOut, .post): return signedOut(request)
    default: return nil
    }
  }

  private func route(_ path: RequestPath, _ request: StatusRequest) async throws(BadRequest) -> Reply {
    switch path.segments {
    case []: return await dashboard(path)
    case ["wall"]: return await wall(path)
    case ["report"]: return await reportPage(path)
    case ["events"] where feed != nil: return Reply(200, .events, [])
    case ["act"]: return await actPage(path, request)
    case ["livez"]:
      var reply = Reply(200, text: "alive\n")
      reply.mark = mark
      return reply
    case ["readyz"]:
      guard await source.isReady() else { return Reply(503, text: source.unready + "\n") }
      return Reply(200, text: (["ready"] + source.shortcomings).map { $0 + "\n" }.joined())
    case ["metrics"]: return await metrics(MetricsFormat(accept: request.accept))
    case let segments where segments.first == "checks" && segments.count == 2:
      return await checkPage(segments[1], path)
    case let segments where segments.first == "incidents" && segments.count == 2:
      return await incidentPage(segments[1])
    case let segments where segments.starts(with: ["api", "v1"]):
      return try await api(Array(segments.dropFirst(2)), path)
    default: return failure(404, "NOT_FOUND", "no such page; the start page is /")
    }
  }

  /// `nil` where no token for actions is set.
  private var forms: PageForms? { runNow.token == nil ? nil : button }

  private func dashboard(_ path: RequestPath) async -> Reply {
    let snapshot = await source.snapshot()
    do throws(BadRequest) {
      try path.refuseRepeated(besides: ["state", "tag"])
      let list = try DashboardPage.List(path)
      return html { DashboardPage(snapshot: snapshot, list: list, forms: forms).render(nonce: $0) }
    } catch { return selectsNothing(snapshot, error) }
  }

  private func wall(_ path: RequestPath) async -> Reply {
    let snapshot = await source.snapshot()
    do throws(BadRequest) {
      try path.refuseRepeated(besides: ["state", "tag"])
      let filter = try ListFilter(path)
      return html { WallPage(snapshot: snapshot, filter: filter).render(nonce: $0) }
    } catch { return selectsNothing(snapshot, error) }
  }

  /// A person reads it, and wants a way on.
  func selectsNothing(_ snapshot: StatusSnapshot, _ error: BadRequest) -> Reply {
    html(400) { nonce in
      NoticePage(snapshot: snapshot, what: "This address selects nothing", hint: error.message).render(
        nonce: nonce)
    }
  }

  private func checkPage(_ text: String, _ path: RequestPath) async -> Reply {
    if let id = UniqueID(text) { await source.askPlaces(id) }
    let snapshot = await source.snapshot()
    guard let id = UniqueID(text), let check = snapshot.check(id) else {
      return html(404) { MissingPage(snapshot: snapshot, id: UniqueID(text)).render(nonce: $0) }
    }
    let line = path["line"] ?? UptimePeriod.day.rawValue
    guard let period = LatencyChart.periods.first(where: { $0.rawValue == line }) else {
      let words = LatencyChart.periods.map(\.rawValue).joined(separator: ", ")
      return html(400) { nonce in
        NoticePage(snapshot: snapshot, what: "There is no such line", hint: "line must be one of \(words)")
          .render(nonce: nonce)
      }
    }
    var page = CheckPage(snapshot: snapshot, check: check, results: await source.recent(id) ?? [])
    page.past = await CheckPast(of: id, period, from: source, at: snapshot.now)
    page.way = await source.traces(id)
    page.forms = forms
    return html { page.render(nonce: $0) }
  }

  private func incidentPage(_ text: String) async -> Reply {
    let snapshot = await source.snapshot()
    guard let id = UniqueID(text), let incident = snapshot.alerts?.incident(id) else {
      return html(404) { nonce in
        NoticePage(
          snapshot: snapshot, what: "There is no such incident",
          hint: "the latest incidents are on the start page; older ones are not kept"
        ).render(nonce: nonce)
      }
    }
    return html { IncidentPage(snapshot: snapshot, incident: incident, forms: forms).render(nonce: $0) }
  }

  func html(_ status: Int = 200, _ render: (String) -> Markup) -> Reply {
    // Fresh for each answer, so that no text that got into the page by mistake could carry it.
    let nonce =
      String(UInt64.random(in: .min ... .max), radix: 36)
      + String(UInt64.random(in: .min ... .max), radix: 36)
    return Reply(status, .html, Array(render(nonce).html.utf8), styleNonce: nonce)
  }

  func failure(_ status: Int, _ code: String, _ message: String) -> Reply {
    var reply = Reply(status, .json, StatusJSON.failure(code: code, message: message, now: source.now))
    if status == 401 { reply.challenge = .bearer }
    return reply
  }
}

extension DashboardPage.List {
  init(_ path: RequestPath) throws(BadRequest) {
    self.init()
    filter = try ListFilter(path)
    page = try path.number("page", in: 1...100_000, default: 1)
    switch path["group"] {
    case nil, "": break
    case "tag": isGrouped = true
    default: throw BadRequest("group must be tag")
    }
  }
}
