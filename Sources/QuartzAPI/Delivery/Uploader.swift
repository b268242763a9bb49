// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization

/// Drains the store to the receiver: performs what the machine decides, one request at a time.
///
/// Nothing is lost and nothing is doubled whatever happens here: rows leave the store only once they are
/// acknowledged, and whatever is sent again has the ids it had.
package final class Uploader: Sendable {
  private let queue: any DeliveryQueue
  private let transport: any ResultTransport
  private let gate: RateGate
  /// By which it waits, and says until when.
  nonisolated var time: SteadyTime { gate.time }
  private let route: Route
  private let bell = Doorbell()
  private let state: Mutex<State>

  private struct State: Sendable {
    var machine: DeliveryMachine
    var generator: RandomSource
  }

  /// A receiver, and the budget of its origin.
  package struct Route: Sendable {
    let transport: any ResultTransport
    let gate: RateGate
    let memory: any DurableBytes
    let receiver: String
    /// `nil` where optional members of the answer are ignored.
    var contact: ContactDesk?

    /// - Parameters:
    ///   - memory: where the batch size that a 413 taught is kept.
    ///   - receiver: whose batch size it is.
    package init(
      _ transport: any ResultTransport, gate: RateGate, memory: any DurableBytes, receiver: String
    ) {
      self.transport = transport
      self.gate = gate
      self.memory = memory
      self.receiver = receiver
    }
  }

  package init(
    queue: any DeliveryQueue, route: Route, settings: DeliveryMachine.Settings,
    generator: RandomSource = .system
  ) {
    self.queue = queue
    self.transport = route.transport
    self.gate = route.gate
    self.route = route
    self.state = Mutex(State(machine: DeliveryMachine(settings: settings), generator: generator))
  }

  /// Works until it is cancelled.
  package func run() async {
    do {
      state.withLock { $0.machine.abandon() }
      await recall()
      while !Task.isCancelled {
        if let until = try await step() { try await bell.sleep(until: until, of: gate.time) }
      }
    } catch {
      // Cancelled: what was under way stays in the store and goes again with the same ids.
    }
    await queue.endDelivery()
    await gate.close()
  }

  private func recall() async {
    let configured = state.withLock { $0.machine.settings.batch }
    guard let bytes = try? await route.memory.read() else { return }
    if let memory = BatchMemory(bytes, receiver: route.receiver, configured: configured) {
      state.withLock { $0.machine.recall(memory) }
    }
    await route.memory.understood()
  }

  /// Sends what is there, as far as it goes in this time: on the way out, after `run` has ended.
  package func flush(within limit: Duration) async {
    let end = gate.time.now.advanced(by: limit)
    state.withLock { $0.machine.flush() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await self.gate.time.sleep(until: end) }
      group.addTask { try? await self.work() }
      await group.next()
      group.cancelAll()
    }
    await queue.endDelivery()
    await gate.close()
  }

  /// Steps until there is nothing left, or nothing that can go now.
  private func work() async throws(CancellationError) {
    while !Task.isCancelled, try await step() == nil {}
  }

  /// Tells that so many deliverable results were recorded, so that a full batch does not wait for the flush.
  package func recorded(_ count: Int = 1) {
    let isFull = state.withLock { state in
      state.machine.recorded(count)
      return state.machine.isLiveDue
    }
    if isFull { bell.ring() }
  }

  /// Sends the result that was just recorded without waiting for a batch.
  package func hurry() {
    let now = gate.time.now
    state.withLock { $0.machine.hurry(at: now) }
    bell.ring()
  }

  /// Makes contact without waiting for the next one's time.
  package func makeContact() {
    state.withLock { $0.machine.makeContact() }
    bell.ring()
  }

  package func status() async -> DeliveryStatus {
    let usage = await gate.usage()
    return state.withLock {
      DeliveryStatus($0.machine, usage: usage, dialect: transport.dialect, time: gate.time)
    }
  }

  /// How long nothing is sent; zero or less where something may be.
  package var pause: Duration? { state.withLock { $0.machine.holdUntil.map(gate.time.now.duration(to:)) } }

  /// One action. Non-nil: there is nothing to do until then.
  private func step() async throws(CancellationError) -> Timestamp? {
    switch state.withLock({ $0.machine.next(at: gate.time.now) }) {
    case .wait(let until): return until
    case .fetch(let lane, let limit):
      let records = await queue.pending(lane, limit: limit)
      let now = gate.time.now
      try await perform(state.withLock { $0.machine.fetched(lane, records, at: now) })
    case .send(let batch): try await send(batch)
    case .heartbeat:
      guard try await isAdmitted(.heartbeat) else { return nil }
      let report = try await transport.deliver([])
      try await conclude(report) {
        $0.machine.heartbeatAnswered(report.outcome, at: $1, using: &$0.generator)
      }
    }
    return nil
  }

  /// A batch of which the store has dropped some is not sent: the rest goes at the next step.
  private func send(_ batch: DeliveryMachine.Batch) async throws(CancellationError) {
    let sequences = Set(batch.rows.map(\.sequence))
    let gone = sequences.subtracting(await queue.beginDelivery(batch.rows.map(\.sequence)))
    guard gone.isEmpty else { return state.withLock { $0.machine.dropped(gone, of: batch) } }
    if try await isAdmitted(batch.use) {
      let report = try await transport.deliver(batch.rows.map(\.record))
      try await conclude(report) { $0.machine.answered(report.outcome, at: $1, using: &$0.generator) }
    }
    await queue.endDelivery()
  }

  private func isAdmitted(_ use: RequestUse) async throws(CancellationError) -> Bool {
    guard let until = await gate.admit(use) else { return true }
    state.withLock { $0.machine.refused(use, until: until) }
    return false
  }

  private func conclude(
    _ report: DeliveryReport, _ event: (inout State, Timestamp) -> [DeliveryMachine.Effect]
  ) async throws(CancellationError) {
    if let response = report.response {
      await gate.observe(response)
      hear(response)
    }
    let now = gate.time.now
    try await perform(state.withLock { event(&$0, now) })
  }

  private func hear(_ response: OutboundAnswer) {
    guard let contact = route.contact, response.status == 200, let data = response.json?["data"] else {
      return
    }
    let words = ContactWords(data)
    state.withLock { $0.machine.contact = words.contact }
    contact.heard(words)
  }

  private func perform(_ effects: [DeliveryMachine.Effect]) async throws(CancellationError) {
    for effect in effects {
      switch effect {
      case .quarantine(let records, let code): await queue.quarantine(records, code: code)
      case .acknowledge(let lane, let sequences): await queue.acknowledge(lane, sequences)
      case .startLiveLane: await queue.startLiveLane()
      case .renewCredentials:
        let changed = try await transport.renewCredentials()
        state.withLock { $0.machine.credentialsRenewed(changed: changed) }
      case .remember(let memory):
        let configured = state.withLock { $0.machine.settings.batch }
        // Without it, the next run learns it again from one 413.
        try? await route.memory.write(memory.encoded(receiver: route.receiver, configured: configured))
      }
    }
  }
}

/// A random number generator that crosses tasks; tests give one that repeats.
package struct RandomSource: RandomNumberGenerator, Sendable {
  private let draw: @Sendable () -> UInt64

  package init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  package static let system = RandomSource {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  package mutating func next() -> UInt64 { draw() }
}
