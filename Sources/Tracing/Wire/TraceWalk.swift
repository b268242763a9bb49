// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Traces the path with one method: sends the course's packets, reads answers, and gives up silent ones. On the trace's
/// own thread, which it holds until the path is known, the deadline has come or it is stopped.
final class TraceWalk {
  private let request: TraceRequest
  private let sender: any TraceSender
  private let stop: TraceStop
  private let deadline: Instant
  private let start = Instant.now
  private(set) var book: TraceBook
  private(set) var course: TraceCourse
  /// This machine could not send: why.
  private(set) var fault: Int32?
  private var waiting: [TracePacket: Instant] = [:]
  /// Something was heard that was not shown yet.
  private var isStale = false

  /// How long one packet's answer is waited for at most, whatever was asked: over TCP the kernel would send a second
  /// SYN after a second (RFC 6298 2), and no answer could be put to the first.
  private let patience: Duration

  init(
    _ method: TraceMethod, _ request: TraceRequest, _ sender: any TraceSender, stop: TraceStop,
    until deadline: Instant,
    from firstTTL: Int = 1
  ) {
    (self.request, self.sender, self.stop, self.deadline) = (request, sender, stop, deadline)
    book = TraceBook(method: method, flows: request.flows, maxTTL: request.maxTTL)
    course = TraceCourse(request, takesTurns: method == .tcp, firstTTL: firstTTL)
    patience = method == .tcp ? .milliseconds(950) : .seconds(60)
  }

  /// - Parameter each: called with what is new; false: it is to be shown again, there was no time for it.
  func run(watching scout: TraceScout? = nil, each: (TraceBook) -> Bool) {
    while !stop.isPulled, fault == nil {
      let now = Instant.now
      if now >= deadline { break }
      fill(now)
      if course.isDone, waiting.isEmpty { break }
      wait(for: scout)
      let heardAt = Instant.now
      scout?.look(at: heardAt)
      if scout?.isTarget ?? false { course.targetAnswers = true }
      let isNew = take(sender.hear(at: heardAt)) || giveUp(at: heardAt)
      if isNew || isStale { isStale = !each(book) }
    }
    for packet in waiting.keys { sender.giveUp(packet) }
    // What was still on its way when time ran out says nothing of loss.
    for packet in waiting.keys { book.unsent(packet) }
  }

  /// Sends whatever is due.
  private func fill(_ now: Instant) {
    for flow in 0..<request.flows {
      guard now >= start + request.pace * course.round(of: flow) else { continue }
      let round = course.round(of: flow)
      while course.round(of: flow) == round, fault == nil {
        let count = waiting.keys.count { $0.flow == flow }
        guard count < sender.window, let packet = course.next(flow, book, waits: count > 0) else { break }
        begin(packet, now)
      }
    }
  }

  private func begin(_ packet: TracePacket, _ now: Instant) {
    let code = sender.send(packet)
    guard code == 0 else {
      // With the way behind it the machine's trouble is a passing one: this packet is left out.
      if book.lastAnswered == 0 { fault = code }
      return
    }
    book.sent(packet)
    waiting[packet] = now + min(patience, course.patience(for: packet, book))
  }

  private func wait(for scout: TraceScout?) {
    var until = waiting.values.min() ?? deadline
    for flow in 0..<request.flows
    where !course.isDone(flow) && !waiting.keys.contains(where: { $0.flow == flow }) {
      until = min(until, start + request.pace * course.round(of: flow))
    }
    if isStale { until = min(until, .now + TraceRun.every) }
    stop.wait(for: sender.descriptors + (scout?.descriptor.map { [$0] } ?? []), until: min(until, deadline))
  }

  private func take(_ heard: [TraceHeard]) -> Bool {
    for one in heard {
      guard waiting.removeValue(forKey: one.packet) != nil else { continue }
      switch one.what {
      case .reply(let reply): book.heard(one.packet, reply)
      case .unnamed: book.heardUnnamed()
      case .fault(let code): if book.lastAnswered == 0 { fault = code }
      }
      course.look(at: book)
    }
    return !heard.isEmpty
  }

  private func giveUp(at now: Instant) -> Bool {
    let late = waiting.filter { $0.value <= now }
    for packet in late.keys {
      waiting[packet] = nil
      sender.giveUp(packet)
    }
    return !late.isEmpty
  }
}

/// One packet with a TTL that is enough, beside the walk: whether the target answers at all, and what is said to a packet
/// that is waited for longer. A router says "host unreachable" only after three seconds (RFC 4861 7.2.2, and as long over
/// IPv4 by ARP's habit).
final class TraceScout {
  private let attempt: ConnectTry?
  private let flow: PacketFlow?
  private(set) var reply: TraceReply?
  private var isOver = false

  /// A connection; its packets have the machine's own TTL.
  init(_ target: SocketAddress) {
    attempt = ConnectTry(to: target, from: 0, ttl: nil)
    flow = nil
  }

  init(_ kind: PacketFlow.Kind, _ target: SocketAddress) {
    attempt = nil
    flow = PacketFlow(kind, to: target, unbroken: false)
    if case .sent = flow?.send(ttl: 64) {} else { isOver = true }
  }

  var descriptor: Int32? { isOver ? nil : attempt?.number ?? flow?.number }
  var isWaiting: Bool { descriptor != nil }
  /// It was the target that answered, or who answers for it.
  var isTarget: Bool { if case .target = reply?.meaning { true } else { false } }

  func look(at now: Instant) {
    guard !isOver else { return }
    if let answer = flow?.hear().first {
      (reply, isOver) = (answer.reply, true)
    } else if let outcome = attempt?.look(at: now) {
      isOver = true
      if case .reply(let reply) = outcome { self.reply = reply }
    }
  }

  static let patience = Duration.seconds(4)
}
