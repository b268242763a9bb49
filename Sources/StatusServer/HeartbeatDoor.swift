// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Takes what jobs report.
package protocol HeartbeatTaking: Sendable {
  func take(_ report: HeartbeatReport, token: String) async -> HeartbeatAnswer
}

/// `/hb/TOKEN`, `/hb/TOKEN/start`, `/hb/TOKEN/fail` and `/hb/TOKEN/0` to `255`, by GET, HEAD and POST: the same on each
/// address the agent listens on. The token alone identifies the client, so no Host and no other token is checked.
struct HeartbeatDoor: Sendable {
  let desk: any HeartbeatTaking

  /// `nil` for any other request.
  func reply(to request: StatusRequest) async -> Reply? {
    guard request.isHeartbeat else { return nil }
    guard request.method != .other else {
      var reply = Reply(405, text: "a report comes by GET, HEAD or POST\n")
      reply.allow = "GET, HEAD, POST"
      return reply
    }
    var reply = await answer(request)
    reply.omitsBody = request.method == .head
    return reply
  }

  private func answer(_ request: StatusRequest) async -> Reply {
    let path = request.target.prefix { $0 != "?" }.dropFirst(StatusRequest.heartbeats.utf8.count)
    let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, request.target.utf8.count <= Routes.maxTarget,
      let signal = HeartbeatReport.Signal(word: parts.count == 2 ? parts[1] : nil)
    else { return Self.unknown }
    switch await desk.take(HeartbeatReport(signal, body: request.body ?? []), token: parts[0]) {
    case .taken: return Reply(200, text: "OK")
    case .notKept: return Self.notKept
    case .unknown: return Self.unknown
    case .tooMany: return Reply(429, text: "too many reports within a minute\n")
    }
  }

  /// Also sent on the public address, so it names no path and no system error.
  private static let notKept = Reply(
    503, text: "the report was counted but could not be saved, a restart would lose it: send it again\n")
  private static let unknown = Reply(404, text: "not found\n")
}
