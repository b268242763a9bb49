// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Logging
import Monitoring
import QuartzAPI
import Synchronization

extension AlertDesk {
  /// Writes down and sends, until the task is cancelled. Each channel for itself: one that hangs holds up no other.
  func deliver() async {
    await withDiscardingTaskGroup { group in
      repeat {
        try? await keep()
        let now = time.wall()
        if let traces {
          state.withLock { $0.outbox.complete(now: now) { traces.completed($0) } }
        }
        for entry in due(now) {
          guard let channel = settings.channels.first(where: { $0.name == entry.channel }) else { continue }
          group.addTask {
            await self.send(entry, channel)
            try? await self.keep()
          }
        }
      } while (try? await time.sleep(for: pace)) != nil
    }
    // What was decided last is told after the next start.
    try? await keep()
  }

  /// Everything that is so is on the disk when it returns. A failure is told by who keeps the file, and made good there.
  func keep() async throws(StateFile.Failure) { try await kept().get() }

  func kept() async -> Result<Void, StateFile.Failure> { await saving.save(self) }

  private func send(_ entry: Outbox.Entry, _ channel: AlertChannel) async {
    let outcome = await sender.send(entry.message, by: channel)
    let now = time.wall()
    state.withLock { state in
      state.outbox.note(entry, outcome, now: now)
      if outcome == .delivered { state.book.delivered(entry.message, to: channel.name) }
    }
    tellShare(share)
    let facts: Logger.Metadata = [
      "channel": "\(channel.name)", "incident": "\(entry.message.incident)",
      "kind": "\(entry.message.kind.rawValue)",
    ]
    switch outcome {
    case .delivered:
      log.notice("told: \(entry.message.title)", metadata: facts)
    case .failed(let why, _):
      log.warning(
        "a message could not be sent, it is tried again",
        metadata: facts.merging(["problem": "\(why)"]) { $1 })
    case .refused(let why):
      log.error("a message is refused and given up", metadata: facts.merging(["problem": "\(why)"]) { $1 })
    }
  }

  /// Nil: there was nothing to write.
  ///
  /// - Parameter isOwed: the write before this one failed.
  fileprivate func save(again isOwed: Bool) async -> Result<Void, StateFile.Failure>? {
    let bytes = state.withLock { state -> [UInt8]? in
      guard state.book.isDirty || state.outbox.isDirty || isOwed else { return nil }
      var json = JSONWriter(reserving: 4096)
      json.object { json in
        json.field("version", 1)
        state.book.encode(to: &json)
        json.key("outbox")
        state.outbox.encode(to: &json)
      }
      return json.bytes
    }
    guard let bytes else { return nil }
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
