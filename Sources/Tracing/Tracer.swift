// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// Finds the way to an address: packets whose TTL rises, and what routers say to them. See docs/trace.md.
///
/// Each trace has a thread of its own for as long as it lasts; names are looked up beside it by the agent's own resolver.
package final class Tracer: RouteTracing {
  private let names: (any HopNaming)?
  private let networks: NetworkTable
  private let time: TimeSource
  private let enter: @Sendable () -> Void

  /// For names, behind the last packet.
  private static let lastNames = Duration.seconds(1)

  /// - Parameters:
  ///   - names: nil: hops have none.
  ///   - enter: done first on the thread of each trace, such as to go into a network namespace.
  package init(
    names: (any HopNaming)? = nil, networks: NetworkTable = NetworkTable(), time: TimeSource = .system,
    enter: @escaping @Sendable () -> Void = {}
  ) {
    (self.names, self.networks, self.time, self.enter) = (names, networks, time, enter)
  }

  package func trace(
    _ request: TraceRequest, each: (@Sendable (RouteTrace) -> Void)?
  ) async throws(CancellationError) -> RouteTrace {
    guard let stop = TraceStop() else { return failed(request, "out of file descriptors: raise the limit") }
    let book = HopNameBook()
    let naming = request.findsNames ? names : nil
    let deadline = time.instant() + request.bounded.budget
    let tell: (@Sendable (RouteTrace) -> Void) = { [networks] picture in
      if naming != nil { book.want(picture) }
      guard let each else { return }
      each(Self.labelled(picture, book, networks))
    }
    let trace = await withTaskGroup(of: RouteTrace?.self) { group in
      if let naming {
        group.addTask {
          await book.lookUp(by: naming, until: deadline)
          return nil
        }
      }
      let trace = await walk(request, stop, tell)
      if naming != nil { book.want(trace) }
      book.finish()
      // What is not known a moment later is shown without.
      group.addTask { [time] in
        try? await time.sleep(until: min(deadline, time.instant() + Self.lastNames))
        return trace
      }
      if naming != nil { _ = await group.next() }
      group.cancelAll()
      return trace
    }
    if Task.isCancelled { throw CancellationError() }
    return Self.labelled(trace, book, networks)
  }

  private func walk(
    _ request: TraceRequest, _ stop: TraceStop, _ tell: @escaping @Sendable (RouteTrace) -> Void
  ) async -> RouteTrace {
    let (enter, startedAt) = (enter, time.wall())
    let identifier = EchoIdentifiers.shared.take()
    defer { if let identifier { EchoIdentifiers.shared.giveBack(identifier) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasThread = startThread {
          enter()
          let run = TraceRun(request, startedAt: startedAt, stop: stop, identifier: identifier, tell: tell)
          continuation.resume(returning: run.run())
        }
        if !hasThread { continuation.resume(returning: failed(request, "no thread left for a trace")) }
      }
    } onCancel: {
      stop.pull()
    }
  }

  private func failed(_ request: TraceRequest, _ why: String) -> RouteTrace {
    RouteTrace(
      host: request.host, target: request.target, startedAt: time.wall(), method: request.method ?? .tcp,
      why: "nothing was sent", flows: request.flows, end: .fault(why))
  }

  private static func labelled(_ trace: RouteTrace, _ book: HopNameBook, _ networks: NetworkTable)
    -> RouteTrace
  {
    var trace = trace
    book.put(into: &trace)
    for hop in trace.hops.indices {
      for answer in trace.hops[hop].answers.indices {
        trace.hops[hop].answers[answer].network = networks.name(of: trace.hops[hop].answers[answer].address)
      }
    }
    return trace
  }
}
