// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status

// The forms on our pages: for people who signed in, with an answer that a browser shows or a script reads.
extension Routes {
  /// Checks that one form runs, and at once.
  private static let (runs, runsAtOnce) = (20, 4)

  /// The person who may do what the page offers; `nil` without such a sign-in.
  func operatorOf(_ request: StatusRequest) -> SignedInPerson? {
    if let token = runNow.token, Credential(request.authorization)?.matches(token) == true {
      return SignedInPerson(name: nil, mayAct: true)
    }
    return signIn.person(request.cookie, at: request.port, now: source.now).flatMap { $0.mayAct ? $0 : nil }
  }

  /// Leads to the page to sign in on, and from there back.
  func signInFirst(_ request: StatusRequest, back: String) -> Reply {
    guard !request.wantsJSON else { return failure(401, "SIGN_IN", "sign in first: /sign-in") }
    return redirect("\(FormPath.signIn)?to=\(percentEncoded(back))")
  }

  func redirect(_ location: String) -> Reply {
    var reply = Reply(303, text: "see \(location)\n")
    reply.location = location
    return reply
  }

  /// `GET /act?incident=ID` or `?check=ID`: mute or maintain until a time of one's choice.
  func actPage(_ path: RequestPath, _ request: StatusRequest) async -> Reply {
    let snapshot = await source.snapshot()
    guard runNow.token != nil else { return await refused(403, Self.off, Self.offHint, request) }
    let incident = path["incident"].flatMap { UniqueID($0) }.flatMap { snapshot.alerts?.incident($0) }
    let check = path["check"].flatMap { UniqueID($0) }.flatMap { snapshot.check($0) }
    guard incident != nil || check != nil else {
      return await refused(404, "There is no such incident or check", nil, request)
    }
    guard operatorOf(request) != nil else { return signInFirst(request, back: request.target) }
    return html {
      ActPage(snapshot: snapshot, forms: button, incident: incident, check: check).render(nonce: $0)
    }
  }

  /// `POST /act`.
  func act(_ request: StatusRequest) async -> Reply {
    guard runNow.token != nil else { return await refused(403, Self.off, Self.offHint, request) }
    guard let form = request.form else {
      return await refused(400, "This form could not be read", nil, request)
    }
    guard let person = operatorOf(request) else {
      return signInFirst(request, back: PageAct.back(form["back"]))
    }
    guard button.accepts(form, request) else {
      return await refused(
        403, Self.foreign(request), "open the page again and press the button there", request)
    }
    do throws(BadRequest) {
      let act = try PageAct(form, now: source.now)
      return act.kind == .run ? await run(act, request) : await order(act, person, request)
    } catch {
      return await refused(400, "This cannot be done", error.message, request)
    }
  }

  static func foreign(_ request: StatusRequest) -> String {
    request.isOwnPage ? "This page was made before the agent's last start" : request.foreignWords
  }
  static let off = "Nothing can be done from this page"
  static let offHint = "set status.run_now_token in agent.yaml"

  private func order(_ act: PageAct, _ person: SignedInPerson, _ request: StatusRequest) async -> Reply {
    let snapshot = await source.snapshot()
    let kinds = act.wishes(snapshot)
    guard !kinds.isEmpty else {
      return await refused(404, "There is nothing to do here any more", nil, request)
    }
    var done = 0
    var refusals: [(kind: OperatorWish.Kind, why: String)] = []
    for kind in kinds {
      switch await source.act(OperatorWish(kind, by: person.name ?? "the status page", why: act.note)) {
      case .done: done += 1
      case .notFound(let why, _), .refused(let why): refusals.append((kind, why))
      }
    }
    guard done > 0 else { return await refused(409, "Refused", refusals.first?.why, request) }
    let words = act.words(done, refusals)
    // The page to go back to does not show what is missing.
    guard refusals.isEmpty || request.wantsJSON else {
      return html { NoticePage(snapshot: snapshot, what: words, hint: act.partHint).render(nonce: $0) }
    }
    return said(words, act.undo, back: act.back, request)
  }

  /// The documents for a script; else back to the page, which shows what was done.
  func said(_ words: String, _ undo: PageAction?, back: String, _ request: StatusRequest) -> Reply {
    guard request.wantsJSON else { return redirect(back) }
    return Reply(
      200, .json,
      StatusJSON.success(now: source.now) { json in
        json.object { json in
          json.field("message", words)
          json.fieldIfPresent("undo", undo?.rawValue)
        }
      })
  }

  private func run(_ act: PageAct, _ request: StatusRequest) async -> Reply {
    let snapshot = await source.snapshot()
    let checks = act.checks(snapshot).filter(\.enabled)
    guard !checks.isEmpty else { return await refused(404, "No enabled check is meant", nil, request) }
    let outcomes = await run(Array(checks.prefix(Self.runs)))
    let words = Self.words(outcomes, left: checks.count - outcomes.count)
    if request.wantsJSON { return said(words, nil, back: act.back, request) }
    let after = await source.snapshot()
    return html {
      RanPage(
        snapshot: after, words: words, outcomes: outcomes.map { ($0.check, $0.outcome.words) },
        back: act.back
      ).render(nonce: $0)
    }
  }

  private func run(_ checks: [CheckStatus]) async -> [(check: CheckStatus, outcome: RunNowOutcome)] {
    let source = source
    return await withTaskGroup(of: (Int, RunNowOutcome).self) { group in
      var next = 0
      var found: [Int: RunNowOutcome] = [:]
      while next < min(Self.runsAtOnce, checks.count) {
        let (place, id) = (next, checks[next].id)
        group.addTask { (place, await source.runNow(id)) }
        next += 1
      }
      while let (place, outcome) = await group.next() {
        found[place] = outcome
        guard next < checks.count else { continue }
        let (place, id) = (next, checks[next].id)
        group.addTask { (place, await source.runNow(id)) }
        next += 1
      }
      return checks.enumerated().compactMap { place, check in found[place].map { (check, $0) } }
    }
  }

  /// `9 checks ran: 7 down, 2 up`.
  private static func words(_ outcomes: [(check: CheckStatus, outcome: RunNowOutcome)], left: Int) -> String {
    let results = outcomes.compactMap { item in
      if case .done(let result) = item.outcome { result } else { nil }
    }
    if outcomes.count == 1, left == 0 { return outcomes[0].outcome.words }
    let states: [CheckState] = [.down, .degraded, .unknown, .up]
    let counts = states.map { state in (state, results.count { $0.state == state }) }.filter { $0.1 > 0 }
    let found = counts.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", ")
    let missed = outcomes.count - results.count + left
    return
      "\(counted(results.count, "check")) ran\(found.isEmpty ? "" : ": \(found)")"
      + (missed > 0 ? "; \(missed) did not run" : "")
  }

  /// In the form that the request asks for.
  func refused(_ status: Int, _ what: String, _ hint: String?, _ request: StatusRequest) async -> Reply {
    guard !request.wantsJSON else {
      return failure(status, "REFUSED", [what, hint].compactMap(\.self).joined(separator: ": "))
    }
    let snapshot = await source.snapshot()
    return html(status) { NoticePage(snapshot: snapshot, what: what, hint: hint).render(nonce: $0) }
  }
}

extension RunNowOutcome {
  /// For a person, in one line.
  var words: String {
    switch self {
    case .done(let result):
      let what =
        result.reason == .ok
        ? StatusFormat.latency(result.responseTime)
        : [result.reason.rawValue, result.message].compactMap(\.self).joined(separator: ": ")
      return "\(result.state.mark) \(result.state.word) \(what)"
    case .noSuchCheck: return "no enabled check has this id"
    case .busy(let why): return "not now: \(why)"
    case .stopping: return "the agent is ending"
    }
  }
}

extension PageAct {
  /// The checks that are meant: one, or those that fire in the incident. Unmute means recovered members as well.
  func checks(_ snapshot: StatusSnapshot) -> [CheckStatus] {
    if let check { return snapshot.check(check).map { [$0] } ?? [] }
    guard let incident, let alerts = snapshot.alerts else { return [] }
    let members = kind == .unmute ? alerts.incident(incident)?.checks ?? [] : []
    return snapshot.checks.filter { alerts.incidentOf[$0.id] == incident || members.contains($0.id) }
  }

  fileprivate func wishes(_ snapshot: StatusSnapshot) -> [OperatorWish.Kind] {
    switch kind {
    case .acknowledge: return incident.map { [.acknowledge(incident: $0.description)] } ?? []
    case .mute: return targets(snapshot).map { .mute(target: $0, length: length) }
    case .maintenance:
      return targets(snapshot).map { .startMaintenance(target: $0, length: length, skip: false) }
    case .unmute:
      if let order { return [.unmute(id: order.description)] }
      return snapshot.mutes(of: targets(snapshot)).map { .unmute(id: $0.description) }
    case .endMaintenance: return order.map { [.endMaintenance(id: $0.description)] } ?? []
    case .run: return []
    }
  }

  /// By name where one check alone bears it: people read it in the list of mutes.
  private func targets(_ snapshot: StatusSnapshot) -> [OperatorTarget] {
    var counts: [ByteText: Int] = [:]  // bounded: names of the checks
    for check in snapshot.checks { counts[ByteText(check.name), default: 0] += 1 }
    return checks(snapshot).map { check in
      .check(counts[ByteText(check.name)] == 1 ? check.name : check.id.description)
    }
  }

  /// - Parameter refusals: orders that were refused; the first one's reason is given.
  fileprivate func words(_ done: Int, _ refusals: [(kind: OperatorWish.Kind, why: String)]) -> String {
    // A check may be muted several times.
    let what = done == 1 ? "" : "\(done) \(kind == .unmute ? "mutes" : "checks"): "
    guard let first = refusals.first else { return what + outcome }
    let names = refusals.compactMap(\.kind.target?.text)
    let which = names.isEmpty ? "" : " (\(names.andMore(after: 10)))"
    return what + outcome + "; \(refusals.count) refused\(which): \(first.why)"
  }

  /// For checks that found no place.
  fileprivate var partHint: String? {
    switch kind {
    case .mute: "one order mutes all checks of a tag: quartz-agent mute tag:NAME"
    case .maintenance: "one order is for all checks of a tag: quartz-agent maintenance start tag:NAME"
    case .acknowledge, .unmute, .endMaintenance, .run: nil
    }
  }

  /// The time as the form gave it.
  private var span: String { until.map { "until \(StatusFormat.minute($0)) UTC" } ?? "for \(length.text)" }

  private var outcome: String {
    switch kind {
    case .acknowledge: "acknowledged: no more reminders"
    case .mute: "muted \(span)"
    case .unmute: "no longer muted"
    case .maintenance: "in maintenance \(span)"
    case .endMaintenance: "maintenance ended"
    case .run: ""
    }
  }

  /// The action that takes it back.
  fileprivate var undo: PageAction? { kind == .mute ? .unmute : nil }
}

extension OperatorWish.Kind {
  /// Checks that are meant; `nil` for an order that names no checks.
  fileprivate var target: OperatorTarget? {
    switch self {
    case .mute(let target, _), .startMaintenance(let target, _, _): target
    case .acknowledge, .unmute, .endMaintenance: nil
    }
  }
}
