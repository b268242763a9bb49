// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Curl
@testable import History
@testable import Monitoring
@testable import Network
@testable import QuartzAPI
@testable import Spool
@testable import SpoolFuzz
@testable import StatusServer

private func row(_ number: Int) -> String {
  """
  {"id":"\(id(number))","resource_id":"\(id(7))","resources":{"name":"same"},"check_type":"http",\
  "url":"https://h\(number % 400).example/","check_interval_seconds":60,"is_enabled":true}
  """
}

private func window(_ number: Int) -> String {
  """
  {"id":"\(id(number))","resource_id":"\(id(7))","title":"t","starts_at":"2026-01-31T00:00:00Z",\
  "ends_at":"2026-01-31T02:00:00Z","is_recurring":true,"recurrence_pattern":"monthly"}
  """
}

private func page(_ rows: [String]) -> JSONValue {
  let source = """
    {"success":true,"data":[\(rows.joined(separator: ","))],"meta":{"total":\(rows.count),"total_pages":1}}
    """
  return (try? JSONValue.parse(source.utf8)) ?? .null
}

private func checks(_ count: Int) -> [WireCheck] {
  var walk = ListWalk<WireCheck>(limit: 20_000)
  _ = try? walk.add(page((1...count).map(row)))
  return walk.rows
}

let lists: [Worst] = [
  Worst("check list", "rows of one name", size: 250) { count in
    let json = page((1...count).map(row))
    return {
      var walk = ListWalk<WireCheck>(limit: 20_000)
      _ = try? walk.add(json)
      let mapping = CheckMapping(MappingRules())
      var budget = mapping.freshBudget
      return mapping.map(CheckSnapshot(checks: walk.rows), budget: &budget, now: noon, wall: noon).checks
        .count == count
    }
  },
  Worst("check list", "what changed between two", size: 500) { count in
    let rows = checks(count)
    let others = Array(checks(2 * count).suffix(count))
    return { !CheckChange.between(rows, others).isEmpty }
  },
  Worst("maintenance windows", "rows that repeat", size: 200) { count in
    let json = page((1...count).map(window))
    return {
      var walk = ListWalk<WireWindow>(limit: 20_000)
      _ = try? walk.add(json)
      let windows = WireWindow.mapped(walk.rows, resources: [], now: noon).windows
      return walk.rows.count == count && windows.allSatisfy { $0.next(after: noon) != nil }
    }
  },
  Worst("acknowledgements", "rejected rows", size: 500) { count in
    let ids = (1...count).map { UniqueID(high: 1, low: UInt64($0)) }
    let rows = ids.map { "{\"id\":\"\($0)\",\"code\":\"23503\"}" }.joined(separator: ",")
    let body = "{\"success\":true,\"data\":{\"accepted\":0,\"duplicates\":0,\"rejected\":[\(rows)]}}"
    let response = OutboundAnswer(status: 200, body: Array(body.utf8))
    return { DeliveryDialect.quartz.acknowledgement(response, sent: ids) != nil }
  },
  Worst("refusals", "a text that nearly names a check", size: 10_000) { count in
    let body = "{\"code\":\"23503\",\"details\":\"" + text("(monitoring_check_id)=", count) + "\"}"
    let response = OutboundAnswer(status: 409, body: Array(body.utf8))
    return {
      _ = DeliveryRules.judge(.response(response), by: .supabase, sent: [], now: noon)
      return true
    }
  },
  Worst("Retry-After", "digits", size: 50_000) { count in
    let response = OutboundAnswer(
      status: 429, headers: [.init("Retry-After", text("9", count)), .init("Date", text("Sun, ", count))])
    return { RetryAfter.wait(response, now: noon) != .zero }
  },
]

let states: [Worst] = [
  Worst("count of requests", "entries", size: 10_000) { count in
    let entries = (0..<count).flatMap { _ in [UInt8](repeating: 0, count: 8) + [1] }
    var source = Array("QRB1".utf8) + [0] + entries
    let sum = source.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    source += (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    return { RateBudget(restoring: source, at: noon).used(at: noon).hour >= 0 }
  },
  Worst("what was told of resources", "resources", size: 1000) { count in
    let told = Dictionary(
      uniqueKeysWithValues: (1...count).map { (UniqueID(high: 2, low: UInt64($0)), "up") })
    let source = ResourceBoard(told: told).encoded(base: "b")
    return { ResourceBoard(restoring: source, base: "b").told.count == count }
  },
  Worst("cached list", "rows", size: 250) { count in
    var json = JSONWriter()
    json.array { json in for check in checks(count) { check.write(into: &json, withSecrets: true) } }
    let rows = String(decoding: json.bytes, as: UTF8.self)
    let source = """
      {"version":1,"from":"https://a.test/v1","pulled_at":"2026-01-31T00:00:00Z","cut":false,"checks":\(rows)}
      """
    guard let url = try? HTTPURL("https://a.test/v1") else { return { false } }
    let cache = CheckListCache(file: ForgottenBytes(), base: url, keepsSecrets: true)
    return {
      guard case .list(let snapshot, _) = cache.decode(Array(source.utf8)) else { return false }
      return snapshot.checks.count == count
    }
  },
  Worst("history", "checks in a file", size: 50) { count in
    let store = HistoryStore()
    let checks = (1...count).compactMap(tcpCheck)
    store.apply(checks, now: noon)
    for check in checks { for step in 0..<60 { store.record(success(check, step), interval: .seconds(300)) } }
    let files = (0..<store.shardCount).compactMap { store.shard($0) }
      .map { StoredShard(number: $0.number, bytes: $0.bytes) }
    return { HistoryStore(decoding: files).damage == nil }
  },
]

private func tcpCheck(_ number: Int) -> MonitoringCheck? {
  var definition = CheckDefinition()
  definition.id = id(number)
  definition.name = "c\(number)"
  definition.type = "tcp"
  definition.host = "127.0.0.1"
  definition.port = 80
  return try? MonitoringCheck(definition)
}

private func success(_ check: MonitoringCheck, _ step: Int) -> CheckResult {
  let slot = noon.advanced(by: .seconds(step * 300))
  return CheckResult(
    id: UniqueID(high: 2, low: UInt64(step)), check: check, trigger: .schedule, scheduledAt: slot,
    startedAt: slot, late: .zero, verdict: .ok)
}

let spool: [Worst] = [
  Worst("segments", "records", size: 400) { count in
    let files = SpoolWorst.files(records: count)
    return { SpoolWorst.waiting(files) == count }
  },
  Worst("bundles", "records", size: 120, most: 500) { count in
    let source = SpoolWorst.bundle(records: count)
    return { SpoolWorst.unbundled(source) == count }
  },
  Worst("cursor", "ranges", size: 125, most: 250) { count in
    let source = SpoolWorst.cursor(ranges: count)
    return { SpoolWorst.ranges(source) == count }
  },
  Worst("segments", "zeros", size: 100_000) { count in
    let source = [UInt8](repeating: 0, count: count)
    return {
      SpoolFuzz.segment(source)
      return true
    }
  },
]
