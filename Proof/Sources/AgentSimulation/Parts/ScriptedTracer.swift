// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Tracing

/// Ways to targets, which take a while to be found, and sometimes very long. In a world in which none is looked for nothing asks.
struct ScriptedTracer: RouteTracing {
  let life: Life
  let seed: UInt64

  func trace(
    _ request: TraceRequest, each: (@Sendable (RouteTrace) -> Void)?
  ) async throws(CancellationError) -> RouteTrace {
    let (start, wall) = (life.clock.now, life.time.wall())
    var dice = Dice(seed ^ UInt64(start.microseconds), request.target.description)
    let takes = dice.time(.seconds(1) ... .seconds(dice.pick([8, 15, 40, 1200])))
    do { try await life.time.sleep(for: takes) } catch { throw CancellationError() }
    return RouteTrace(
      host: request.host, target: request.target, startedAt: wall, elapsed: takes, method: .tcp,
      why: "the service's own port", flows: 3, end: .silent(after: 4))
  }
}
