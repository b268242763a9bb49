// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import QuartzAPI
import Synchronization

extension AlertDesk {
  /// Writes down and sends, until the task is cancelled. Each channel for itself: one that hangs holds up no other.
  ///
  /// - Parameter picture: what reports are of; `nil` for the history alone.
  func deliver(_ picture: AgentPicture? = nil) async {
    await withDiscardingTaskGroup { group in
      repeat {
        for (notification, message) in next() {
          group.addTask { await self.send(notification, message, picture) }
        }
        tellLeftOpen()
        // Also what no notification is about; of a large file, less often.
        if isSaveDue { try? await keep() }
      } while (try? await time.sleep(for: pace)) != nil
    }
    // What was decided last is sent after the next start.
    try? await keep()
  }

  /// Everything that is so is on the disk when it returns. A failure is told by who keeps the file, and made good there.
  func keep() async throws(StateFile.Failure) { try await kept().get() }

  func kept() async -> Result<Void, StateFile.Failure> { await saving.save(self) }

  /// Saving takes a twentieth of the time at most, however large the file is.
  private var isSaveDue: Bool {
    let now = time.instant()
    return lastSave.withLock { $0.end + $0.took * 20 <= now }
  }

  /// Notifications to send now, by the current state: the process may have been suspended since they became due.
  private func next() -> [(Notification, AlertMessage)] {
    let context = context()
    let view = around.share?.look()
    return state.withLock { state in
      if let view, let share = around.share {
        state.book.follow(view, writer: share.writer, now: context.now, role: share.role)
      }
      state.book.keepOpenings(state.writer)
      return state.book.next(context).compactMap { notification -> (Notification, AlertMessage)? in
        guard let message = state.writer.message(notification, now: context.now.wall, cause: cause) else {
          state.book.abandon(notification, .refused, now: context.now)
          return nil
        }
        return (notification, around.traces?.completed(message) ?? message)
      }
    }
  }

  /// Facts about the rest of the agent that the stages use.
  func context() -> NotifyContext {
    let now = time.reading()
    var context = NotifyContext(now: now, settings: settings)
    let graph = catalog.dependencies
    context.mutedUntil = { [catalog, around] trouble in
      trouble.key.check.flatMap { catalog[$0] }.flatMap { around.mutedUntil($0, now.wall) }
    }
    context.maintenanceUntil = { [around] trouble in
      trouble.key.check.flatMap { around.maintenanceUntil($0, now.wall) }
    }
    if !graph.isEmpty {
      context.failsWith = { [history] trouble in
        guard let check = trouble.key.check, let parent = graph.parents(of: check).first,
          history.recent(check)?.first?.reason == .dependency
        else { return nil }
        return parent.name
      }
    }
    context.isInApps = { [catalog] check in catalog[check].map { catalog.isPosted($0) } ?? false }
    context.isLookedAt = { [around] trouble in
      trouble.key.check.map { around.traces?.isTracing($0) ?? false } ?? false
    }
    return context
  }

  /// The member that another one depends on.
  private func cause(_ incident: Incident) -> String? {
    let graph = catalog.dependencies
    guard !graph.isEmpty else { return nil }
    let checks = Set(incident.members.prefix(500).compactMap(\.trouble.key.check))
    for check in checks.sorted() {
      if let parent = graph.ancestors(of: check).last(where: { checks.contains($0.id) }) {
        return parent.name
      }
    }
    return nil
  }

  private func send(
    _ notification: Notification, _ message: AlertMessage, _ picture: AgentPicture?
  ) async {
    var message = message
    if case .report(let schedule, let due) = notification.form {
      message = message.with(await report(schedule, due.period, picture))
    }
    // On the disk before it leaves, and in the group's store, under the id that it has if it is sent again.
    try? await keep()
    guard await commit(notification) else { return }
    var channel = notification.channel
    if notification.isPlain { channel.template = AlertTemplate() }
    let outcome = await sender.send(message, by: channel, to: notification.recipients)
    let now = time.reading()
    state.withLock { $0.book.finish(notification, outcome, title: message.title, now: now) }
    tellShare(around.share)
    try? await keep()
    tell(outcome, message, notification)
  }

  /// - Returns: whether it may be sent.
  private func commit(_ notification: Notification) async -> Bool {
    guard let share = around.share else { return true }
    let writes = state.withLock { $0.book.commitment(notification, now: time.reading()) }
    guard !writes.isEmpty else { return true }
    let answer = await share.commit(writes)
    if answer == .written { return true }
    let now = time.reading()
    return state.withLock { state in
      // People are told all the same, by and by.
      if answer == .unreachable, state.book.hasWaited(notification, now: now) { return true }
      state.book.abandon(notification, answer, now: now)
      return false
    }
  }

  private func tell(_ outcome: SendOutcome, _ message: AlertMessage, _ notification: Notification) {
    let facts: Logger.Metadata = [
      "channel": "\(notification.channel.name)", "incident": "\(message.incident)",
      "kind": "\(message.kind.rawValue)", "title": "\(message.title)",
    ]
    func with(_ why: String) -> Logger.Metadata { facts.merging(["problem": "\(why)"]) { $1 } }
    switch outcome {
    case .delivered: log.notice("notified", metadata: facts)
    case .deliveredBut(let why): log.warning("notified, but not all recipients", metadata: with(why))
    case .partly(let why, let remaining, _, _):
      log.warning(
        "a notification was not taken for all recipients, it is retried for the others",
        metadata: with(why).merging(["recipients": "\(remaining.count)"]) { $1 })
    case .failed(let why, _, _):
      log.warning("a notification could not be sent, it is retried", metadata: with(why))
    case .refused(let why): log.error("a notification was refused", metadata: with(why))
    }
  }

  /// `nil`: there was nothing to write.
  ///
  /// - Parameter isOwed: the write before this one failed.
  fileprivate func save(again isOwed: Bool) async -> Result<Void, StateFile.Failure>? {
    let now = time.reading()
    let bytes = state.withLock { state -> [UInt8]? in
      guard state.book.isDirty || isOwed else { return nil }
      var json = JSONWriter(reserving: 4096)
      json.object { state.book.encode(to: &$0, now: now) }
      return json.bytes
    }
    guard let bytes else { return nil }
    defer {
      let end = time.instant()
      lastSave.withLock { $0 = (end, now.boot.duration(to: end)) }
    }
    do throws(StateFile.Failure) {
      try await file.write(bytes)
      return .success(())
    } catch { return .failure(error) }
  }
}

/// One save after the other, so that what is older never replaces what is newer; when one returns, everything that was so
/// before it is on disk.
actor AlertSaving {
  typealias Outcome = Result<Void, StateFile.Failure>
  private var last: Task<Outcome, Never>?

  func save(_ desk: AlertDesk) async -> Outcome {
    let before = last
    let task = Task {
      let known = await before?.value ?? .success(())
      // What the disk did not take is written with the next look, also when nothing changes any more.
      return await desk.save(again: known.isFailure) ?? known
    }
    last = task
    return await task.value
  }
}

extension Result where Success == Void {
  fileprivate var isFailure: Bool {
    if case .failure = self { return true }
    return false
  }
}
