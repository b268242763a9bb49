// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization

/// Writes the status of resources into the backend, for `quartz.update_resources`: one request a change, since with
/// `supabase` the backend does not.
package final class ResourceUpdater: Sendable {
  private let base: HTTPURL
  private let keys: KeyRing
  private let wire: Wire
  private let file: any DurableBytes
  private let time: SteadyTime
  /// `nil` where this agent writes for itself alone.
  private let sharing: Sharing?
  private let bell = Doorbell()
  private let state: Mutex<State>

  fileprivate struct State: Sendable {
    var board = ResourceBoard()
    var checks: [MonitoringCheck] = []
    var backoff = Backoff()
    var generator: RandomSource
    /// Nothing is sent before then.
    var heldUntil: Timestamp?
    /// Refused on their own.
    var setAside: [UniqueID: Aside] = [:]
    var status = ResourceUpdateStatus()
    var wasOurs = false
  }

  /// A resource whose status was refused.
  fileprivate struct Aside: Sendable {
    /// Not again before then.
    var until: Timestamp
    /// An error of the backend may pass: it is retried soon at first.
    var backoff = Backoff(first: .seconds(10), cap: .seconds(3600))
    var trouble: Notice
  }

  /// A group writes the status of resources once: one of its agents does, from what all of them find.
  package struct Sharing: Sendable {
    /// This agent is the one that writes.
    package var isOurs: @Sendable () -> Bool
    /// For the others to know.
    package var found: @Sendable (UniqueID, CheckState, Timestamp) -> Void

    package init(
      isOurs: @escaping @Sendable () -> Bool,
      found: @escaping @Sendable (UniqueID, CheckState, Timestamp) -> Void
    ) {
      (self.isOurs, self.found) = (isOurs, found)
    }
  }

  /// Takes another agent's result.
  package func note(_ check: UniqueID, _ found: CheckState, at: Timestamp) {
    let hasNews = state.withLock { state in
      state.board.note(check, found, at: at)
      return !state.board.due.isEmpty
    }
    if hasNews { bell.ring() }
  }

  package init(
    base: HTTPURL, keys: KeyRing, over wire: Wire, time: SteadyTime, file: any DurableBytes,
    generator: RandomSource = .system, sharing: Sharing? = nil
  ) {
    self.base = base
    self.keys = keys
    self.wire = wire
    self.file = file
    self.time = time
    self.sharing = sharing
    self.state = Mutex(State(generator: generator))
  }

  package var status: ResourceUpdateStatus { state.withLock { $0.status } }

  /// The checks in force.
  package func apply(_ checks: [MonitoringCheck]) {
    state.withLock { state in
      state.checks = checks
      state.board.apply(checks)
    }
    bell.ring()
  }

  package func note(_ result: CheckResult) {
    if let sharing, !result.maintenance, result.state != .unknown {
      sharing.found(result.checkID, result.state, result.startedAt)
    }
    let hasNews = state.withLock { state in
      state.board.note(result)
      return !state.board.due.isEmpty
    }
    if hasNews { bell.ring() }
  }

  /// Works until it is cancelled.
  package func run() async {
    let bytes = try? await file.read()
    state.withLock { state in
      state.board = ResourceBoard(restoring: bytes ?? nil, base: base.display)
      state.board.apply(state.checks)
    }
    await file.understood()
    do {
      while !Task.isCancelled {
        let until = try await step()
        try await bell.sleep(until: until, of: time)
      }
    } catch {
      // Cancelled: what was not told is told by the next run.
    }
  }

  /// Tells what is due, and says until when there is nothing to do.
  private func step() async throws(CancellationError) -> Timestamp {
    if let held = state.withLock({ $0.heldUntil }), held > time.now { return held }
    while let update = next() {
      try await wire.admitted(.resource)
      await doubt(update)
      let reply = try await put(update)
      if case .response(let response) = reply { await wire.observe(response) }
      switch answer(reply) {
      case .taken:
        let bytes = state.withLock { state in
          state.board.took(update)
          state.backoff.reset()
          state.setAside[update.resource] = nil
          state.status.trouble = state.trouble
          state.status.told += 1
          return state.board.encoded(base: base.display)
        }
        try? await file.write(bytes)
      case .refused(let trouble, let mayPass):
        state.withLock { $0.putAside(update.resource, trouble, mayPass: mayPass, at: time.now) }
      case .later(let trouble, let wait):
        if case .response(let response) = reply, response.status == 401 { _ = await keys.renew() }
        return state.withLock { state in
          state.status.trouble = trouble
          let pause = max(state.backoff.next(using: &state.generator), wait ?? .zero)
          let until = time.now.advanced(by: pause)
          state.heldUntil = until
          return until
        }
      }
    }
    // Another agent's part may become this one's without a word.
    let idle = time.now.advanced(by: .seconds(sharing == nil ? 300 : 5))
    return state.withLock { state in state.setAside.values.reduce(idle) { min($0, $1.until) } }
  }

  /// An answer that is lost, to this process or with it, leaves nothing behind that says that the backend has the old status.
  private func doubt(_ update: ResourceBoard.Update) async {
    let bytes = state.withLock { state in
      state.board.doubt(update) ? state.board.encoded(base: base.display) : nil
    }
    if let bytes { try? await file.write(bytes) }
  }

  private func next() -> ResourceBoard.Update? {
    let isOurs = sharing.map { $0.isOurs() }
    return state.withLock { state in
      if let isOurs {
        defer { state.wasOurs = isOurs }
        guard isOurs else {
          state.status.pending = 0
          state.keepAside([])
          return nil
        }
        if !state.wasOurs { state.board.distrust() }
      }
      let due = state.board.due
      state.keepAside(Set(due.map(\.resource)))
      let ready = due.filter { update in state.setAside[update.resource].map { $0.until <= time.now } ?? true
      }
      state.status.pending = ready.count
      return ready.first
    }
  }

  private enum Answer {
    case taken
    case refused(Notice, mayPass: Bool)
    case later(Notice, Duration?)
  }

  private func answer(_ reply: APIReply) -> Answer {
    switch reply {
    case .failure(let why):
      return .later(
        Notice.warning(.resources, "cannot reach the quartz api: \(why.printable(maxBytes: 160))"), nil)
    case .response(let response):
      if response.status == 200, response.json?["success"]?.bool == true { return .taken }
      let refusal = Refusal(response, dialect: .quartz, now: wire.wall())
      switch response.status {
      case 401, 403:
        return .later(DeliveryDialect.quartz.unauthorized(refusal, for: .resources), .seconds(300))
      case 429, 502, 503, 504:
        return .later(
          Notice.warning(.resources, "the quartz api has trouble: \(refusal.words)"), refusal.wait)
      case 200...399:
        return .later(
          Notice.warning(.resources, "the quartz api answered \(response.status), but not as it does"),
          .seconds(300))
      default:
        // This backend says 500 for a resource that is gone, too.
        let mayPass = response.status >= 500 || [408, 425].contains(response.status)
        return .refused(
          Notice.warning(
            .resources, "a resource's status is refused: \(refusal.words)",
            hint: mayPass
              ? "it is retried after growing pauses, up to an hour" : "it is tried again in an hour"),
          mayPass: mayPass)
      }
    }
  }

  private func put(_ update: ResourceBoard.Update) async throws(CancellationError) -> APIReply {
    var json = JSONWriter(reserving: 96)
    json.object { json in
      json.field("status", update.status)
      json.field("last_checked_at", update.checkedAt)
    }
    return try await wire.exchange.exchange(
      APIRequest(
        .put, base.appending("resources/\(update.resource)"),
        headers: [
          HeaderField("X-API-Key", keys.key),
          HeaderField("Content-Type", "application/json"),
        ], body: json.bytes))
  }
}

extension ResourceUpdater.State {
  mutating func putAside(_ resource: UniqueID, _ trouble: Notice, mayPass: Bool, at now: Timestamp) {
    var aside = setAside[resource] ?? .init(until: now, trouble: trouble)
    let pause = mayPass ? aside.backoff.next(using: &generator) : aside.backoff.cap
    (aside.until, aside.trouble) = (now.advanced(by: pause), trouble)
    setAside[resource] = aside
    status.trouble = trouble
  }

  /// Those of which nothing is to be written any more are no trouble.
  mutating func keepAside(_ due: Set<UniqueID>) {
    guard setAside.contains(where: { !due.contains($0.key) }) else { return }
    setAside = setAside.filter { due.contains($0.key) }
    status.trouble = trouble
  }

  /// That of the resources which were refused, after a request that was taken.
  var trouble: Notice? { setAside.min { $0.key < $1.key }?.value.trouble }
}

package struct ResourceUpdateStatus: Hashable, Sendable {
  /// Requests the backend took, since the start.
  package var told = 0
  /// Resources whose status it has not heard yet.
  package var pending = 0
  package var trouble: Notice?

  package init() {}
}
