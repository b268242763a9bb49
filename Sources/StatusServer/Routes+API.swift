// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status
import Tracing

/// The JSON documents under `/api/v1`; docs/openapi.json describes each.
extension Routes {
  func api(_ segments: [String], _ path: RequestPath) async throws(BadRequest) -> Reply {
    let isReport = segments.first?.hasPrefix("report") == true
    try path.refuseRepeated(besides: isReport ? ["check", "tag"] : ["state", "tag"])
    if path.isDoing { return refusedMethod(path) }
    switch segments {
    case ["summary"]:
      let full = try path.flag("full")
      let snapshot = await source.snapshot()
      return json(snapshot) { snapshot.writeSummary(full: full, to: &$0) }
    case ["status.txt"]:
      let text = StatusText(
        width: try path.number("width", in: StatusText.narrowest...1000, default: 100),
        color: try path.flag("color"))
      let (snapshot, shown) = try await listed(path)
      return Reply(200, text: text.render(snapshot, shown: shown))
    case ["checks"]: return try await checks(path)
    case ["openapi.json"]: return Reply(200, .json, OpenAPI.document)
    case ["dashboard"]:
      let snapshot = await source.snapshot()
      return json(snapshot) { snapshot.writeDashboard(to: &$0) }
    case ["groups"]: return try await groups(path)
    case ["posts"]: return posts(await source.snapshot())
    case ["group"]:
      guard let write = await source.group(withChecks: try path.flag("checks")) else {
        return failure(404, "NOT_FOUND", "this agent is in no group: agent.yaml has no section group")
      }
      return Reply(200, .json, StatusJSON.success(now: source.now, page: nil, write))
    case ["report"], ["report.txt"], ["report.csv"], ["report.html"]:
      return try await report(segments[0], path)
    case let rest where rest.first == "spool": return try await spool(Array(rest.dropFirst()), path)
    default: break
    }
    if ["incidents", "alerts", "mutes", "maintenance"].contains(segments.first),
      let reply = try alerts(segments, await source.snapshot(), path)
    {
      return reply
    }
    guard segments.first == "checks", segments.count <= 3, let id = UniqueID(segments[1]) else {
      return failure(404, "NOT_FOUND", "no such document; docs/status.md lists them")
    }
    if segments.count == 3, segments[2] == "share" { return try await share(id, path) }
    if segments.count == 2 { await source.askPlaces(id) }
    let snapshot = await source.snapshot()
    guard let check = snapshot.check(id) else { return failure(404, "NOT_FOUND", "no check has this id") }
    switch segments.dropFirst(2).first {
    case nil: return json(snapshot) { check.write(now: snapshot.now, to: &$0) }
    case "uptime": return try uptime(check, snapshot, path)
    case "results": return try await results(id, snapshot, path)
    case "outages": return try await outages(id, snapshot, path)
    case "series": return try await series(id, snapshot, path)
    case "trace":
      let view = await source.traces(id) ?? TraceView()
      return json(snapshot) { view.write(to: &$0) }
    default: return failure(404, "NOT_FOUND", "no such document; docs/status.md lists them")
    }
  }

  private func checks(_ path: RequestPath) async throws(BadRequest) -> Reply {
    let (limit, offset) = try range(path, maximum: 1000)
    let (snapshot, found) = try await listed(path)
    let page = StatusJSON.Page(total: found.count, limit: limit, offset: offset)
    return json(snapshot, page) { json in
      json.array { json in
        for check in found.dropFirst(offset).prefix(limit) { check.write(now: snapshot.now, to: &json) }
      }
    }
  }

  /// The filtered checks, in the requested order or else that of the configuration.
  private func listed(_ path: RequestPath) async throws(BadRequest) -> (StatusSnapshot, [CheckStatus]) {
    let (filter, order) = (try ListFilter(path), try ListOrder.of(path))
    let snapshot = await source.snapshot()
    let found = snapshot.checks.filter(filter.matches)
    return (snapshot, order?.sorted(found) ?? found)
  }

  private func uptime(_ check: CheckStatus, _ snapshot: StatusSnapshot, _ path: RequestPath)
    throws(BadRequest)
    -> Reply
  {
    guard let text = path["period"] else {
      return json(snapshot) { json in
        json.array { json in
          for window in check.windows { window.write(to: &json) }
        }
      }
    }
    let period = try period(text)
    return json(snapshot) { check.window(period).write(to: &$0) }
  }

  private func period(_ text: String) throws(BadRequest) -> UptimePeriod {
    guard let period = UptimePeriod(word: text) else {
      throw BadRequest(
        "period must be one of \(UptimePeriod.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return period
  }

  /// Newest first, as the results.
  private func outages(_ id: UniqueID, _ snapshot: StatusSnapshot, _ path: RequestPath)
    async throws(BadRequest)
    -> Reply
  {
    let (limit, offset) = try range(path, maximum: 100)
    let outages = await source.outages(id, at: snapshot.now) ?? []
    let page = StatusJSON.Page(total: outages.count, limit: limit, offset: offset)
    return json(snapshot, page) { json in
      json.array { json in
        for outage in outages.reversed().dropFirst(offset).prefix(limit) {
          outage.write(now: snapshot.now, to: &json)
        }
      }
    }
  }

  private func series(_ id: UniqueID, _ snapshot: StatusSnapshot, _ path: RequestPath)
    async throws(BadRequest)
    -> Reply
  {
    let period = try period(path["period"] ?? UptimePeriod.day.rawValue)
    let points = try path.number("points", in: 2...SeriesPoint.limit, default: SeriesPoint.limit)
    let series = await source.series(id, period, points: points, at: snapshot.now) ?? []
    return json(snapshot) { json in
      json.object { json in
        json.field("period", period.rawValue)
        json.key("points")
        json.array { json in
          for point in series { point.write(to: &json) }
        }
      }
    }
  }

  private func groups(_ path: RequestPath) async throws(BadRequest) -> Reply {
    let (limit, offset) = try range(path, maximum: 1000)
    let snapshot = await source.snapshot()
    let groups = snapshot.groups
    let page = StatusJSON.Page(total: groups.count, limit: limit, offset: offset)
    return json(snapshot, page) { json in
      json.array { json in
        for group in groups.dropFirst(offset).prefix(limit) { group.write(to: &json) }
      }
    }
  }

  private func results(_ id: UniqueID, _ snapshot: StatusSnapshot, _ path: RequestPath)
    async throws(BadRequest)
    -> Reply
  {
    let (limit, offset) = try range(path, maximum: 100)
    let results = await source.recent(id) ?? []
    let page = StatusJSON.Page(total: results.count, limit: limit, offset: offset)
    return json(snapshot, page) { json in
      json.array { json in
        for result in results.dropFirst(offset).prefix(limit) { result.write(withAppNames: true, to: &json) }
      }
    }
  }

  func range(_ path: RequestPath, maximum: Int) throws(BadRequest) -> (limit: Int, offset: Int) {
    (
      try path.number("limit", in: 1...maximum, default: min(100, maximum)),
      try path.number("offset", in: 0...1_000_000, default: 0)
    )
  }

  func json(
    _ snapshot: StatusSnapshot, _ page: StatusJSON.Page? = nil, _ data: (inout JSONWriter) -> Void
  ) -> Reply {
    Reply(200, .json, StatusJSON.success(now: snapshot.now, page: page, data))
  }
}

extension Routes {
  func metrics(_ format: MetricsFormat) async -> Reply {
    let snapshot = await source.snapshot()
    let kinds: [MetricsFormat: Reply.Kind] = [
      .openMetrics: .metrics, .plain: .plainMetrics, .protobuf: .protobufMetrics,
    ]
    return Reply(
      200, kinds[format, default: .metrics],
      OpenMetrics.render(snapshot, await source.metrics(), format))
  }

  /// 405, with what the path allows.
  func refusedMethod(_ path: RequestPath?) -> Reply {
    let (allow, words) =
      switch (path?.isDoing ?? false, path?.isOrder ?? false) {
      case (true, _): ("POST", "POST is")
      case (false, true): ("GET, HEAD, POST", "GET, HEAD and POST are")
      case (false, false): ("GET, HEAD", "GET and HEAD are")
      }
    var reply = failure(405, "METHOD_NOT_ALLOWED", "only \(words) possible here")
    reply.allow = allow
    return reply
  }
}

extension RequestPath {
  /// Routes with an effect, which take POST only.
  fileprivate var isDoing: Bool {
    guard segments.count >= 4, segments.starts(with: ["api", "v1"]) else { return false }
    switch segments[2] {
    case "spool": return segments.count == 4 && ["submit", "resubmit"].contains(segments[3])
    case "checks": return segments.count == 5 && segments[4] == "run"
    default: return segments.count == 5 && isOrder
    }
  }
}
