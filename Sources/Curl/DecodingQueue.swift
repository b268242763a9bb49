// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization

/// Undoes content codings on a thread of its own, which lives as long as there is something to do: the engine's thread
/// and the tasks' pool never wait for a body that takes long to decode, only its own check does.
///
/// Bodies take turns of a slice each: first the origins, then the hosts of each. How many are under way is bounded by the
/// memory that decoders may hold.
final class DecodingQueue: Sendable {
  /// Of all decoders of one origin, in bytes: two brotli windows in one another at their largest fit.
  static let memory = 64 << 20
  /// Those whose answers may be coded; each of them has its own memory.
  private static let origins: [WorkOrigin.Kind] = [.fileChecks, .apiChecks, .asked]
  /// Of one body before others have their turn: two milliseconds of this thread's processor time.
  static let slice: Int64 = 2_000_000
  /// Processor time for one body: a quarter of a second, and as much for each MiB that its codings may take. The
  /// slowest streams of each coding at four megabytes a second stay below it.
  static func allowance(_ codings: ContentCodings, limit: Int) -> Int64 {
    250_000_000 + 250 * Int64(codings.codings.count) * Int64(ContentDecoder.mostCoded(limit))
  }

  private struct State {
    var arrived: [DecodingJob] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let board = WaitBoard()
  /// Held by decoders now.
  let budget: MemoryBudget

  /// - Parameter memory: of each origin.
  init(memory: Int = DecodingQueue.memory) {
    let share = Shares.Share(guaranteed: memory, bound: memory)
    let none = Shares.Share(guaranteed: 0, bound: 0)
    budget = MemoryBudget(
      limit: memory * Self.origins.count,
      shares: Dictionary(
        uniqueKeysWithValues: WorkOrigin.Kind.allCases.map { ($0, Self.origins.contains($0) ? share : none) })
    )
  }

  /// Bodies that wait for memory now, by origin.
  var waits: [QueueWait] { board.waits }

  /// Decodes a body. Throws when the task is cancelled.
  ///
  /// - Parameters:
  ///   - lease: holds the body that is made, too.
  ///   - origin: one whose requests ask for coded answers.
  ///   - patience: from now on; beyond it this machine is too busy.
  func decode(
    _ codings: ContentCodings, _ coded: [UInt8], limit: Int, lease: MemoryLease,
    origin: WorkOrigin = WorkOrigin(.fileChecks), patience: Duration
  ) async throws(CancellationError) -> DecodedBody {
    let isCancelled = CancelFlag()
    let decoded = await withTaskCancellationHandler {
      await withCheckedContinuation { reply in
        enqueue(
          DecodingJob(
            codings: codings, coded: coded, limit: limit, lease: lease, origin: origin,
            patience: .now + patience, isCancelled: isCancelled, reply: reply))
      }
    } onCancel: {
      isCancelled.raise()
    }
    guard let decoded else { throw CancellationError() }
    return decoded
  }

  private func enqueue(_ job: DecodingJob) {
    let isFirst = state.withLock { state in
      state.arrived.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    let context = Unmanaged.passRetained(self)
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runDecodingQueue, context.toOpaque()) != 0 else {
      pthread_detach(thread)
      return
    }
    context.release()
    let refused = state.withLock { state in
      state.isRunning = false
      defer { state.arrived = [] }
      return state.arrived
    }
    for job in refused { job.reply.resume(returning: DecodedBody(end: .busy)) }
  }

  /// The thread's body: returns when there is nothing left to do.
  fileprivate func run() {
    var waiting = FairQueue<DecodingJob>()
    var underWay = FairQueue<DecodingRun>()
    var nextSweep = Instant.now
    while takeArrived(into: &waiting, isBusy: !waiting.isEmpty || !underWay.isEmpty) {
      let now = Instant.now
      if now >= nextSweep {
        nextSweep = now + Self.sweep
        for job in waiting.removeAll(where: { $0.endsUnbegun != nil }) { job.answer(job.endsUnbegun) }
        board.write(waiting.waits(for: .decoding))
      }
      // What fits goes first: a small decoder does not wait behind a large one.
      while let job = waiting.next(mayGo: { budget.hasRoom(for: $0.codings.memory, of: $0.origin) }) {
        if let end = job.endsUnbegun {
          job.answer(end)
        } else if budget.take(job.codings.memory, for: job.origin) {
          underWay.append(DecodingRun(job), for: job.origin, at: now)
        }
      }
      guard let run = underWay.next() else { continue }
      guard let end = run.turn() else {
        underWay.append(run, for: run.job.origin, at: now)
        continue
      }
      // Told when all it held is given back.
      budget.give(run.job.codings.memory, of: run.job.origin)
      run.job.answer(end)
    }
    board.write([])
  }

  /// Between two looks for those that are no longer wanted.
  private static let sweep = Duration.milliseconds(10)

  /// False: there is nothing left to do, and the thread ends.
  private func takeArrived(into waiting: inout FairQueue<DecodingJob>, isBusy: Bool) -> Bool {
    let arrived: [DecodingJob]? = state.withLock { state in
      defer { state.arrived = [] }
      if !isBusy, state.arrived.isEmpty { state.isRunning = false }
      return state.isRunning ? state.arrived : nil
    }
    guard let arrived else { return false }
    for job in arrived { waiting.append(job, for: job.origin, at: .now) }
    return true
  }
}

/// Outcome of decoding a body.
struct DecodedBody: Sendable {
  enum End: Hashable, Sendable {
    case whole, cut, full, malformed, excess
    /// A decoder wants more memory than its coding may.
    case greedy
    /// More processor time than a body of its size may take.
    case slow
    /// The bodies in flight hold all the memory that they may.
    case noMemory
    /// This machine did not come to it in time.
    case busy
  }

  var end: End
  var body: [UInt8] = []
}

private final class CancelFlag: Sendable {
  private let flag = Atomic(false)
  var isRaised: Bool { flag.load(ordering: .relaxed) }
  func raise() { flag.store(true, ordering: .relaxed) }
}

private struct DecodingJob: Sendable {
  let codings: ContentCodings
  let coded: [UInt8]
  let limit: Int
  let lease: MemoryLease
  let origin: WorkOrigin
  let patience: Instant
  let isCancelled: CancelFlag
  let reply: CheckedContinuation<DecodedBody?, Never>

  /// `nil` while it is still wanted and there is time.
  var endsUnbegun: DecodingEnd? {
    if isCancelled.isRaised { return .cancelled }
    return Instant.now > patience ? .ended(DecodedBody(end: .busy)) : nil
  }

  func answer(_ end: DecodingEnd?) { reply.resume(returning: end?.answer) }
}

private enum DecodingEnd {
  case ended(DecodedBody)
  case cancelled

  /// `nil` unless it has ended with an answer.
  var answer: DecodedBody? { if case .ended(let body) = self { body } else { nil } }
}

/// One body under way. Belongs to the queue's thread.
private final class DecodingRun {
  let job: DecodingJob
  private let decoder: ContentDecoder?
  private var spent: Int64 = 0
  private let allowance: Int64
  private var kept = 0

  init(_ job: DecodingJob) {
    self.job = job
    decoder = ContentDecoder(job.codings, job.coded, limit: job.limit)
    allowance = DecodingQueue.allowance(job.codings, limit: job.limit)
  }

  /// A slice of work. `nil` where there is more to do.
  func turn() -> DecodingEnd? {
    if let end = job.endsUnbegun { return end }
    guard let decoder else { return finish(.noMemory) }
    let start = SystemClock.threadWork.nanoseconds
    while true {
      let step = decoder.advance()
      guard keep(decoder) else { return finish(.noMemory) }
      switch step {
      case .more: break
      case .whole: return finish(.whole)
      case .cut: return finish(.cut)
      case .full: return finish(.full)
      case .malformed: return finish(.malformed)
      case .excess: return finish(.excess)
      case .greedy: return finish(.greedy)
      }
      let taken = SystemClock.threadWork.nanoseconds - start
      if spent + taken > allowance { return finish(.slow) }
      if taken < DecodingQueue.slice { continue }
      spent += taken
      return nil
    }
  }

  /// Counts what the body takes. False: there is no room for it.
  private func keep(_ decoder: ContentDecoder) -> Bool {
    let size = decoder.body.capacity
    guard size > kept else { return true }
    guard job.lease.grow(by: size - kept) else { return false }
    kept = size
    return true
  }

  private func finish(_ end: DecodedBody.End) -> DecodingEnd {
    .ended(DecodedBody(end: end, body: decoder?.body ?? []))
  }
}

private func runDecodingQueue(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  // Signals belong to the main thread.
  var all = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_BLOCK, &all, nil)
  Unmanaged<DecodingQueue>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
