// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import Status

package let started = Timestamp(seconds: 1_767_225_600)
package let now = started.advanced(by: .seconds(7200))

/// The one face of the public page's tests: `Search` by its name, `Shop front` by its tag.
package let publicFace = PublicFace(
  title: "Services", groups: ["prod"], checks: ["Search"], hidesTargets: true)

/// An agent's status at a fixed instant, and what it was made of.
package struct SampleStatus: Sendable {
  package var status: StatusSnapshot
  package var results: [UniqueID: [CheckResult]] = [:]
  package var store: HistoryStore

  package func metrics() -> MetricsView { sampleMetrics(store) }
}

/// Figures of the parts beside the history.
package func sampleMetrics(_ store: HistoryStore?) -> MetricsView {
  var view = store.map { MetricsView($0) } ?? MetricsView()
  view.process = ProcessFigures(
    processorSeconds: 1.5, residentBytes: 25 << 20, virtualBytes: 1 << 30, openDescriptors: 20,
    maxDescriptors: 1024, threads: 9)
  view.reloads = ReloadFigures(lastSuccess: started)
  view.traces = TraceFigures()
  return view
}

extension PublicPicture {
  package init(_ face: PublicFace, from sample: SampleStatus) async {
    let (store, now) = (sample.store, sample.status.now)
    await self.init(face, sample.status) { id in
      (
        store.series(id, .quarter, now: now, points: UptimeStrip.cells(.quarter)) ?? [],
        store.outages(id, now: now) ?? []
      )
    }
  }
}

package func makeCheck(
  _ name: String, host: String = "127.0.0.1", enabled: Bool = true, tags: [String] = []
) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  definition.name = name
  definition.type = "http"
  definition.url = "http://\(host)/health"
  definition.interval = .seconds(60)
  definition.enabled = enabled
  definition.tags = tags
  return try MonitoringCheck(definition)
}

package func makeResult(_ check: MonitoringCheck, minute: Int, state: CheckState, message: String? = nil)
  -> CheckResult
{
  let slot = started.advanced(by: .seconds(60 * minute))
  let verdict: Verdict =
    switch state {
    case .up: .ok
    case .degraded: Verdict(.responseTime, message: message, degraded: true)
    case .down: Verdict(.httpStatus, phase: .assertion, message: message ?? "status 503, expected 200-299")
    case .unknown: Verdict(.localFault, message: message)
    }
  var result = CheckResult(
    id: UniqueID(high: 1, low: UInt64(minute)), check: check, trigger: .schedule, scheduledAt: slot,
    startedAt: slot,
    late: .zero, verdict: verdict)
  let total = Duration.microseconds(40_000 + Int64(minute % 17) * 2_300)
  result.responseTime = total
  result.statusCode = state == .down ? 503 : 200
  result.timings = Timings(
    dns: total / 10, connect: total / 5, tls: total / 4, firstByte: total / 3, transfer: total / 20,
    total: total)
  return result
}

/// An agent with something of everything.
package func sampleStatus() throws -> SampleStatus {
  let shop = try makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"])
  let mail = try makeCheck("Mail <b>gateway</b>", host: "mail.example")
  let slow = try makeCheck("Search", host: "search.example")
  let quiet = try makeCheck("Never ran yet", host: "new.example")
  let off = try makeCheck("Old site", host: "old.example", enabled: false)
  let store = HistoryStore()
  store.apply([shop, mail, slow, quiet, off], now: started)
  for minute in 0..<120 {
    let hostile = "<script>alert('x')</script>\" onload=\"x"
    for (check, state) in [
      (shop, minute == 70 || minute > 116 ? CheckState.down : .up), (mail, .up),
      (slow, minute > 110 ? .degraded : .up),
    ] {
      let message = check.id == mail.id ? nil : state == .up ? nil : hostile
      store.record(makeResult(check, minute: minute, state: state, message: message), interval: .seconds(60))
    }
  }
  let agent = AgentIdentity(name: "london-1", region: "eu-west", version: "0.1.0", started: started)
  var snapshot = StatusSnapshot(agent: agent, history: store, now: now)
  snapshot.spool = sampleSpool()
  snapshot.delivery = sampleDelivery()
  var scheduler = ScheduleStatus()
  scheduler.lateP50 = .microseconds(180)
  scheduler.lateP99 = .microseconds(2100)
  scheduler.lateMax = .milliseconds(14)
  scheduler.inFlight = 3
  scheduler.limit = 2000
  snapshot.scheduler = scheduler
  var results: [UniqueID: [CheckResult]] = [:]
  for check in [shop, mail, slow, quiet, off] { results[check.id] = store.recent(check.id) }
  return SampleStatus(status: snapshot, results: results, store: store)
}

private func sampleSpool() -> SpoolStatus {
  var spool = SpoolStatus()
  spool.depth = 1234
  spool.oldest = started.advanced(by: .seconds(6000))
  spool.bytesUsed = 1_572_864
  spool.bytesReserved = 268_435_456
  return spool
}

private func sampleDelivery() -> DeliveryStatus {
  var delivery = DeliveryStatus(.quartz)
  delivery.tally.delivered = 45_210
  delivery.tally.lastSuccess = started.advanced(by: .seconds(6900))
  delivery.tally.trouble = .warning(
    .delivery, "404: the backend has no ingest route",
    hint: "add the ingest route or deliver to supabase")
  delivery.tally.troubleSince = started.advanced(by: .seconds(7140))
  (delivery.usage.hour, delivery.usage.perHour) = (120, 900)
  return delivery
}

extension SpoolStatus {
  /// One on the disk.
  package init() { self.init(mode: .durable, durability: .interval) }
}

extension SpoolStatus.Mode {
  package static let memory = Self.memory(.critical(.store, "a test"))
}

extension GroupStatus {
  /// A group of so many members.
  package static func group(_ name: String, members: Int) -> GroupStatus {
    var status = GroupStatus(name)
    status.members = (0..<members).map { Member(name: "m\($0)") }
    return status
  }
}

extension GapRecord {
  /// So many gaps that stand for so many results together.
  package static func gaps(_ count: Int, lost: UInt64) -> [GapRecord] {
    (0..<count).map { number in
      GapRecord(cause: .damage, lost: number == 0 ? lost : 0, records: 1, sequences: 1...1)
    }
  }
}
