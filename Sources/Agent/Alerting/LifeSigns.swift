// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Logging
import Monitoring
import Synchronization

/// Tells dead men's switches that the agent lives and probes. One that is away delays nothing, and is told in the log once.
final class LifeSigns: Sendable {
  /// Calls an address by GET, for at most so long.
  typealias Call = @Sendable (HTTPURL, Duration) async -> SendOutcome

  private let signs: [LifeSign]
  private let call: Call
  private let log: Logger
  private let time: TimeSource
  /// Whether the agent runs what is due.
  private let isWell: @Sendable () -> Bool
  /// Why the last call of each came to nothing, by place.
  private let failures = Mutex<[Int: String]>([:])

  init(
    _ signs: [LifeSign], call: @escaping Call, log: Logger, time: TimeSource,
    isWell: @escaping @Sendable () -> Bool
  ) {
    (self.signs, self.call, self.log) = (signs, call, log)
    (self.time, self.isWell) = (time, isWell)
  }

  /// Until the task is cancelled; each service by a clock of its own.
  func run() async {
    await withDiscardingTaskGroup { group in
      for (place, sign) in signs.enumerated() {
        group.addTask { await self.run(sign, place) }
      }
    }
  }

  private func run(_ sign: LifeSign, _ place: Int) async {
    var next = time.instant()
    while true {
      await tell(sign, place)
      next += sign.every
      // After a sleep of the machine one is enough.
      if next < time.instant() { next = time.instant() + sign.every }
      guard (try? await time.sleep(until: next)) != nil else { return }
    }
  }

  private func tell(_ sign: LifeSign, _ place: Int) async {
    // Silence is the alarm where there is no other way to say it.
    guard let url = isWell() ? sign.url : sign.failURL else { return }
    let outcome = await call(url, LifeSign.timeout)
    guard !Task.isCancelled else { return }
    let words: String? =
      switch outcome {
      case .delivered, .deliveredBut: nil
      case .failed(let why, _, _), .partly(let why, _, _, _), .refused(let why): why
      }
    let before = failures.withLock { failures in
      defer { failures[place] = words }
      return failures[place]
    }
    if let words, before == nil {
      log.warning("a heartbeat is not taken", metadata: ["problem": "\(words)"])
    } else if words == nil, before != nil {
      log.notice("heartbeats are taken again", metadata: ["by": "\(url.endpoint)"])
    }
  }

}

extension LifeSigns: AgentPart {
  func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await self.run() }] }

  var notices: [Notice] {
    failures.withLock { failures in
      failures.sorted { $0.key < $1.key }.map { .warning("heartbeat", "not taken: \($0.value)") }
    }
  }
}
