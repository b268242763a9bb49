// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status

// Incidents, mutes and maintenance by hand: read by all who may read the page, ordered with `status.run_now_token` or
// by users who may open the agent's socket.
extension Routes {
  /// Documents about alerts. `nil` for any other path.
  func alerts(_ segments: [String], _ snapshot: StatusSnapshot, _ path: RequestPath) throws(BadRequest)
    -> Reply?
  {
    switch segments {
    case ["incidents"]:
      let (limit, offset) = try range(path, maximum: 1000)
      let status = try incidentStatus(path)
      let check = path["check"] ?? ""
      guard let all = incidents(of: check, snapshot) else {
        return failure(404, "NOT_FOUND", "no check is called \(quoted(check)); give a name or an id")
      }
      let found = all.filter { status == nil || $0.status == status }
      let page = StatusJSON.Page(total: found.count, limit: limit, offset: offset)
      return json(snapshot, page) { json in
        json.array { json in
          for incident in found.dropFirst(offset).prefix(limit) {
            incident.write(now: snapshot.now, to: &json)
          }
        }
      }
    case ["alerts"]:
      return json(snapshot) { json in
        json.object { json in
          json.field("on", snapshot.alerts != nil)
          json.fieldIfPresent("quiet_until", snapshot.alerts?.quietUntil)
          json.key("channels")
          json.array { json in for channel in snapshot.alerts?.channels ?? [] { channel.write(to: &json) } }
          json.key("reports")
          json.array { json in for report in snapshot.alerts?.reports ?? [] { report.write(to: &json) } }
        }
      }
    case ["mutes"]:
      return json(snapshot) { json in
        json.array { json in for mute in snapshot.mutes { mute.writeStatus(to: &json) } }
      }
    case ["maintenance"]:
      return json(snapshot) { json in
        json.object { json in
          json.key("windows")
          json.array { json in for window in snapshot.maintenance { window.write(to: &json) } }
          json.key("by_hand")
          json.array { json in for order in snapshot.byHand { order.writeStatus(to: &json) } }
        }
      }
    case let rest where rest.count == 2 && rest[0] == "incidents":
      guard let id = UniqueID(rest[1]), let incident = snapshot.alerts?.incident(id) else {
        return failure(404, "NOT_FOUND", "no incident has this id")
      }
      return json(snapshot) { incident.write(now: snapshot.now, to: &$0) }
    default: return nil
    }
  }

  /// Incidents of the checks with a name or an id, newest first; all of them without one. `nil` where nothing is called so.
  private func incidents(of word: String, _ snapshot: StatusSnapshot) -> [IncidentStatus]? {
    let all = (snapshot.alerts?.open.reversed() ?? []) + (snapshot.alerts?.over ?? [])
    guard !word.isEmpty else { return all }
    let id = UniqueID(word)
    let named = Set(snapshot.checks.filter { $0.name == word || $0.id == id }.map(\.id))
    let found = all.filter { incident in
      if !incident.checks.isDisjoint(with: named) { return true }
      // One that is not configured any more is known by its incidents alone.
      return incident.members.contains { $0.name == word } || id.map(incident.checks.contains) ?? false
    }
    return named.isEmpty && found.isEmpty ? nil : found
  }

  private func incidentStatus(_ path: RequestPath) throws(BadRequest) -> IncidentStatus.State? {
    guard let word = path["status"], !word.isEmpty else { return nil }
    guard let status = IncidentStatus.State(rawValue: word) else {
      throw BadRequest(
        "status must be one of \(IncidentStatus.State.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return status
  }

  private func carryOut(_ path: RequestPath) async throws(BadRequest) -> OperatorAnswer {
    guard path.isPost else { return await source.act(try path.wish()) }
    return await source.post(try path.postWish())
  }

  /// `POST` below `/api/v1` that orders something; `nil` when the address is none of these.
  func order(_ path: RequestPath, authorization: String?) async -> Reply? {
    guard path.isOrder else { return nil }
    if !isSocket, let refusal = runNow.refusal(authorization) {
      return failure(refusal.status, refusal.code, refusal.message)
    }
    do throws(BadRequest) {
      switch try await carryOut(path) {
      case .done(let words):
        return Reply(
          200, .json,
          StatusJSON.success(now: source.now) { json in json.object { $0.field("message", words) } })
      case .notFound(let why, let hint):
        return failure(404, "NOT_FOUND", [why, hint].compactMap(\.self).joined(separator: "; "))
      case .refused(let why): return failure(409, "REFUSED", why)
      }
    } catch {
      return failure(400, "BAD_REQUEST", error.message)
    }
  }
}

extension RequestPath {
  /// Whether the request is an operator's command, in any form.
  var isOrder: Bool {
    guard segments.starts(with: ["api", "v1"]) else { return false }
    if isPost { return true }
    let rest = segments.dropFirst(2)
    switch (rest.first, rest.count) {
    case ("mutes", 1), ("maintenance", 1): return true
    case ("mutes", 3), ("maintenance", 3): return rest.last == "end"
    case ("incidents", 3): return rest.last == "ack"
    default: return false
    }
  }

  func wish() throws(BadRequest) -> OperatorWish {
    try refuseRepeated()
    let kind: OperatorWish.Kind
    switch (segments[2], segments.count) {
    case ("incidents", _): kind = .acknowledge(incident: segments[3])
    case ("mutes", 5): kind = .unmute(id: segments[3])
    case ("maintenance", 5): kind = .endMaintenance(id: segments[3])
    case ("mutes", _): kind = .mute(target: try target(), length: try length())
    default:
      kind = .startMaintenance(target: try target(), length: try length(), skip: try flag("skip"))
    }
    return OperatorWish(
      kind, by: self["by"].flatMap { $0.isEmpty ? nil : $0 },
      why: self["why"].flatMap { $0.isEmpty ? nil : $0 })
  }

  private func target() throws(BadRequest) -> OperatorTarget {
    guard let word = self["target"], !word.isEmpty else {
      throw BadRequest("target is missing: the name or id of a check, tag: and a tag, or all")
    }
    return OperatorTarget(word)
  }

  private func length() throws(BadRequest) -> Duration {
    guard let text = self["for"], let length = Duration(text: text), OperatorWish.length.contains(length)
    else {
      throw BadRequest("for must be a duration of at most 30d, such as 30m")
    }
    return length
  }
}
