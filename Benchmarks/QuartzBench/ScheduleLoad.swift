// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import Scheduler

/// Many checks at 60 s whose probes do nothing: what is left is the scheduler.
struct ScheduleLoad {
  private let checks: Int
  private let seconds: Int

  init(_ arguments: Arguments) throws {
    checks = try arguments.number("checks")
    seconds = try arguments.number("seconds")
  }

  func run() async throws -> String {
    let list = try (0..<checks).map { number in
      var definition = CheckDefinition()
      definition.name = "check \(number)"
      definition.type = "tcp"
      definition.host = "h\(number % 5000).example"
      definition.port = 443
      return try MonitoringCheck(definition)
    }
    // The list belongs to whoever configured it; the scheduler shares it.
    let before = heldBytes()
    let loop = try EventLoop("probes")
    let options = SchedulerOptions(agent: "bench", limits: InFlightLimits(total: 2000), executor: loop) {
      $0.target
    }
    let scheduler = CheckScheduler(options, source: try TimerWakeSource(time: .system, on: loop)) { _ in
      RunOutcome(.works)
    } events: { _ in
    }
    // As in the agent the list is put in force at once with the start: slots that pass meanwhile count as late.
    let begin = ContinuousClock.now
    scheduler.apply(list)
    let start = Usage.now()
    let task = Task { await scheduler.run() }
    try await Task.sleep(for: .seconds(seconds))
    let status = scheduler.status()
    let cost = Cost(probes: status.started, ok: status.started, since: start)
    let memory = heldBytes() - before
    task.cancel()
    await task.value
    withExtendedLifetime(list) {}
    let late = [status.lateP50, status.lateP99, status.lateMax].map { ($0 ?? .zero).milliseconds }
    return """
      {"started": \(status.started), "missed": \(status.missed), "seconds": \(cost.seconds), \
      "cpu": \(cost.user + cost.system), "late_p50_ms": \(late[0]), "late_p99_ms": \(late[1]), \
      "late_max_ms": \(late[2]), "apply_ms": \(begin.duration(to: start.wall).milliseconds), \
      "bytes_per_check": \(memory / checks)}
      """
  }

  /// Without what the allocator keeps of memory that was free again.
  private func heldBytes() -> Int {
    releaseFreeMemory()
    return residentBytes()
  }
}
