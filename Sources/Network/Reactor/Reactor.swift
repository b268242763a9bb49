// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// Sockets on an event loop: TCP connects, UDP and TCP steps, ICMP echoes, each with a deadline.
///
/// A flow is opened, spoken over by its `Conversation`, and closed on the loop's thread; callers see a value. It leaves the
/// loop when the reactor is released, which no open flow can outlive: its caller holds the reactor.
package final class Reactor: Sendable {
  private let mailbox: ReactorMailbox
  private let loop: EventLoop

  /// - Parameter loop: nil: one of its own, whose thread opens its sockets in the network namespace of the thread that
  ///   calls this.
  package init(on loop: EventLoop? = nil) throws(EventLoopUnavailable) {
    let place: EventLoop
    if let loop { place = loop } else { place = try EventLoop("reactor") }
    let mailbox = ReactorMailbox(bell: place.bell)
    (self.loop, self.mailbox) = (place, mailbox)
    place.admit { ReactorLoop(mailbox, on: $0) }
  }

  deinit { mailbox.stop() }

  /// How long the thread has been in its present turn, which takes milliseconds where all is well; zero while it sleeps.
  package func turnAge() -> Duration { loop.turnAge() }

  /// The conversation's outcome, and the state of the socket.
  package struct Outcome<Spoken: Conversation>: Sendable {
    package var conversation: Spoken
    package var report: FlowReport
  }

  /// The time until the deadline is the other side's: it begins when the thread comes to it, and what the thread holds it
  /// back later is added.
  ///
  /// Opens a socket to `peer`, lets the conversation speak over it, and closes it: when the conversation is done, when the
  /// other side ends, when a call fails, or at the deadline. Throws only when the surrounding task is cancelled.
  package func converse<Spoken: Conversation>(
    _ conversation: Spoken, over transport: Transport, with peer: SocketAddress,
    until deadline: Instant
  ) async throws(CancellationError) -> Outcome<Spoken> {
    let limit = Instant.now.duration(to: deadline)
    return try await open { continuation in
      flow(conversation, over: transport, with: peer, limit, on: nil, continuation)
    }
  }

  /// As `converse`, over a connection that stands already, such as the one a race was won with. The socket is taken
  /// and closed in any case.
  package func converse<Spoken: Conversation>(
    _ conversation: Spoken, on socket: ConnectedSocket, with peer: SocketAddress,
    until deadline: Instant
  ) async throws(CancellationError) -> Outcome<Spoken> {
    let limit = Instant.now.duration(to: deadline)
    return try await open { continuation in
      flow(conversation, over: .tcp, with: peer, limit, on: socket, continuation)
    }
  }

  /// Dials the addresses by RFC 8305 until one of them accepts; see `Race`. At least one is needed. Without
  /// `keepsSocket` the connection is closed at once: that it stood is all that was asked.
  package func race(
    _ peers: [SocketAddress], until deadline: Instant, keepsSocket: Bool = true
  ) async throws(CancellationError) -> RaceReport {
    let limit = Instant.now.duration(to: deadline)
    return try await open { continuation in
      Race(peers, limit: limit, keepsSocket: keepsSocket, continuation: continuation)
    }
  }

  /// Runs a flow to its end, which resumes the continuation once; with nil when it was cancelled.
  private func open<Value: Sendable>(
    _ make: @escaping @Sendable (CheckedContinuation<Value?, Never>) -> any ReactorFlow
  ) async throws(CancellationError) -> Value {
    let id = mailbox.newID()
    let outcome: Value? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: nil) }
        mailbox.send(.start(id: id) { make(continuation) })
        // A cancel that came between the test above and `send` found no flow and was ignored; the task's flag is
        // set before the handler runs, so it shows here and the cancel is repeated.
        if Task.isCancelled { mailbox.send(.cancel(id: id)) }
      }
    } onCancel: {
      mailbox.send(.cancel(id: id))
    }
    guard let outcome else { throw CancellationError() }
    return outcome
  }
}

/// Made on the loop's thread, where the conversation's own copy lives on in the closures.
private func flow<Spoken: Conversation>(
  _ conversation: Spoken, over transport: Transport, with peer: SocketAddress,
  _ limit: Duration, on connection: ConnectedSocket?,
  _ continuation: CheckedContinuation<Reactor.Outcome<Spoken>?, Never>
) -> Flow {
  var conversation = conversation
  return Flow(over: transport, with: peer, limit: limit, on: connection) { event, now in
    conversation.hear(event, at: now)
  } end: { report in
    continuation.resume(returning: report.map { Reactor.Outcome(conversation: conversation, report: $0) })
  }
}
