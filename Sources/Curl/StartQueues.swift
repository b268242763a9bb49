// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// The requests that have not begun: each waits at one gate, in the queue of its origin. Belongs to the engine's thread.
struct StartQueues {
  enum Gate: Int, CaseIterable {
    /// More came at once than one turn begins.
    case turn
    /// Large answers of its origin hold enough.
    case memory
    /// Enough handshakes of its origin are under way.
    case handshake

    fileprivate var queue: QueueWait.Queue {
      switch self {
      case .turn: .starts
      case .memory: .memory
      case .handshake: .handshakes
      }
    }
  }

  /// URLs of an origin whose last answer was large are remembered, the last so many.
  static let knownLimit = 2048
  /// Between two looks for those that have waited too long.
  private static let sweep = Duration.milliseconds(20)

  private var queues = Gate.allCases.map { _ in FairQueue<TransferTicket>() }
  private var nextSweep = Instant.now
  /// URLs whose last answer was more than what no budget refuses.
  private var large = ByOrigin { _ in RecentSet<WorkOrigin>(limit: knownLimit) }

  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  func isEmpty(_ gate: Gate) -> Bool { queues[gate.rawValue].isEmpty }

  /// Whether something of its origin waits there, behind which it belongs.
  func waits(_ kind: WorkOrigin.Kind, at gate: Gate) -> Bool { queues[gate.rawValue].count(of: kind) > 0 }

  /// Whether something of the same host waits there.
  func waits(_ origin: WorkOrigin, at gate: Gate) -> Bool { queues[gate.rawValue].waits(origin) }

  mutating func add(_ ticket: TransferTicket, at gate: Gate, now: Instant) {
    queues[gate.rawValue].append(ticket, for: ticket.request.origin, at: now)
    count += 1
  }

  mutating func next(
    at gate: Gate, where isOpen: (WorkOrigin.Kind) -> Bool, mayGo: (TransferTicket) -> Bool = { _ in true }
  ) -> TransferTicket? {
    guard let ticket = queues[gate.rawValue].next(where: isOpen, mayGo: mayGo) else { return nil }
    count -= 1
    return ticket
  }

  /// It was cancelled.
  mutating func remove(_ ticket: TransferTicket) {
    guard !isEmpty else { return }
    for gate in queues.indices {
      count -= queues[gate].removeAll(for: ticket.request.origin) { $0 === ticket }.count
    }
  }

  /// Those that have waited as long as they may; now and then.
  mutating func takeOverdue(at now: Instant) -> [TransferTicket] {
    guard !isEmpty, now >= nextSweep else { return [] }
    nextSweep = now + Self.sweep
    return takeAll { $0.patienceEnd <= now }
  }

  mutating func takeAll(where isMeant: (TransferTicket) -> Bool = { _ in true }) -> [TransferTicket] {
    let taken = queues.indices.flatMap { queues[$0].removeAll(where: isMeant) }
    count -= taken.count
    return taken
  }

  var waits: [QueueWait] {
    isEmpty ? [] : Gate.allCases.flatMap { queues[$0.rawValue].waits(for: $0.queue) }
  }

  func isKnownLarge(_ request: TransferRequest) -> Bool {
    let kind = request.origin.kind
    return !large[kind].isEmpty && large[kind].contains(WorkOrigin(kind, named: request.url))
  }

  /// Notes the size of its answer.
  mutating func note(_ request: TransferRequest, isLarge: Bool) {
    let kind = request.origin.kind
    if large[kind].isEmpty, !isLarge { return }
    let key = WorkOrigin(kind, named: request.url)
    if isLarge { large[kind].insert(key) } else { large[kind].remove(key) }
  }
}

/// Tasks that wait in a queue of one thread, for others to read.
final class WaitBoard: Sendable {
  private let written = Mutex<[QueueWait]>([])

  var waits: [QueueWait] { written.withLock(\.self) }

  func write(_ waits: [QueueWait]) { written.withLock { $0 = waits } }
}

extension TransferTicket {
  /// How long it may wait before it begins. A connection that stands is its server's to end.
  var patienceEnd: Instant {
    let patience = request.patience ?? request.timeout
    guard case .connected = request.plan else { return submitted + patience }
    return submitted + min(patience, .seconds(5))
  }
}
