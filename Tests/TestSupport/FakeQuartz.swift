// SPDX-License-Identifier: MIT

import Synchronization

/// The backend as the agent meets it, traps included: what it answers to a request is decided here, without a
/// socket. `withFakeQuartz` puts it on a loopback port.
///
/// It keeps every row it stored and every request it saw, so that a test can say "stored is what was recorded, and
/// nothing twice".
package final class FakeQuartz: Sendable {
  package static let key = "qtz_test-key"
  package static let email = "agent@example.test"
  package static let password = "correct horse"
  package static let anonKey = "anon-key"
  package static let serviceKey = "service-key"

  let state: Mutex<State>
  let now: @Sendable () -> Int64

  /// - Parameter now: microseconds; what the rate limit and the tokens' lives are counted by.
  package init(now: @escaping @Sendable () -> Int64 = { FakeQuartz.monotonic() }) {
    self.now = now
    self.state = Mutex(State())
  }

  private static func monotonic() -> Int64 {
    let (seconds, attoseconds) = epoch.duration(to: ContinuousClock.now).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  struct State: Sendable {
    var checks: [FakeCheck] = []
    var windows: [FakeWindow] = []
    var resourceUpdates: [FakeResourceUpdate] = []
    var knowsResource: @Sendable (String) -> Bool = { _ in true }
    var lastAgent: FakeJSON?
    var rows: [String: FakeRow] = [:]
    var order: [String] = []
    var duplicates = 0
    var requests: [FakeSeen] = []
    var faults: [FakeFault] = []
    var keys: Set<String> = [FakeQuartz.key]
    var tokens: [String: Int64] = [:]
    var tokenLife: Int64 = 3600
    var signIns = 0
    var hasIngest = true
    var mayWrite = true
    var isDown = false
    var holdsUploads = false
    var enforcesLimits = true
    var limited = 0
    var maxRows = Int.max
    var acceptsCheck: @Sendable (String) -> Bool = { _ in true }
    var refusesCheck: @Sendable (String) -> Bool = { _ in false }
  }

  /// The answer to one request, the next fault applied to it if it is an upload.
  package func answer(_ request: FakeRequest) -> FakeAnswer {
    state.withLock { state in
      let at = now()
      state.requests.append(FakeSeen(at: at, request: request))
      if state.isDown { return .hangUp }
      if let refusal = state.limit(at: at) { return refusal }
      let isUpload = request.path.hasSuffix("/check-results") || request.path.hasSuffix("/check_results")
      if isUpload, state.holdsUploads { return .hold }
      guard isUpload, !state.faults.isEmpty else { return state.route(request, at: at) }
      switch state.faults.removeFirst() {
      case .none: return state.route(request, at: at)
      case .loseAnswer:
        _ = state.route(request, at: at)
        return .hangUp
      case .hangUp: return .hangUp
      case .answer(let answer): return answer
      }
    }
  }
}

private let epoch = ContinuousClock.now

package struct FakeRequest: Hashable, Sendable {
  package var method: String
  package var path: String
  package var query: [String: String]
  package var headers: [String: String]
  package var body: [UInt8]

  /// - Parameter target: path and query as in the request line. Header names in lower case.
  package init(method: String, target: String, headers: [String: String], body: [UInt8]) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    self.path = parts.first.map(String.init) ?? ""
    self.query = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      self.query[String(sides[0])] = sides.count > 1 ? String(sides[1]) : ""
    }
    self.headers = headers
    self.body = body
  }
}

package struct FakeSeen: Hashable, Sendable {
  /// Microseconds.
  package let at: Int64
  package let request: FakeRequest
}

package enum FakeAnswer: Hashable, Sendable {
  case respond(Int, [String: String], [UInt8])
  /// The connection ends without an answer.
  case hangUp
  /// One of 16 MB, of which 1 MB comes, until the other side ends the connection.
  case hold

  package static func json(_ status: Int, _ text: String, _ headers: [String: String] = [:]) -> FakeAnswer {
    .respond(
      status, headers.merging(["content-type": "application/json"]) { old, _ in old }, Array(text.utf8))
  }
}

/// What goes wrong with one upload.
package enum FakeFault: Hashable, Sendable {
  case none
  /// Stored, and the answer is lost.
  case loseAnswer
  /// Not stored, and the answer is lost.
  case hangUp
  /// Something else answers.
  case answer(FakeAnswer)

  package static let captivePortal = FakeFault.answer(
    .respond(200, ["content-type": "text/html"], Array("<html>please log in</html>".utf8)))
  package static func redirect(to location: String) -> FakeFault {
    .answer(.respond(302, ["location": location], []))
  }
  package static func status(_ status: Int, _ body: String = "", _ headers: [String: String] = [:])
    -> FakeFault
  {
    .answer(.respond(status, headers, Array(body.utf8)))
  }
}

/// A stored result.
package struct FakeRow: Hashable, Sendable {
  package let id: String
  package let check: String
  package let columns: [String: FakeJSON]
}

/// One row of maintenance_windows.
package struct FakeWindow: Hashable, Sendable {
  package var id: String
  /// The other members, as JSON text without braces.
  package var members: String

  package init(id: String, members: String) {
    self.id = id
    self.members = members
  }

  var json: String { "{\"id\":\"\(id)\"" + (members.isEmpty ? "" : "," + members) + "}" }
}

/// A status that somebody wrote.
package struct FakeResourceUpdate: Hashable, Sendable {
  package let id: String
  package let status: String

  package init(id: String, status: String) {
    self.id = id
    self.status = status
  }
}

/// One row of monitoring_checks.
package struct FakeCheck: Hashable, Sendable {
  package var id: String
  package var isEnabled: Bool
  /// Bulk imports share it.
  package var createdAt: Int
  /// The other members, as JSON text without braces: `"check_type":"http","url":"https://…"`.
  package var members: String

  package init(id: String, members: String, isEnabled: Bool = true, createdAt: Int = 0) {
    self.id = id
    self.isEnabled = isEnabled
    self.createdAt = createdAt
    self.members = members
  }

  package var json: String {
    var text = "{\"id\":\"\(id)\",\"is_enabled\":\(isEnabled)"
    if !members.contains("\"resource_id\"") {
      text += ",\"resource_id\":\"00000000-0000-4000-8000-00000000aaaa\""
    }
    if !members.contains("\"resources\"") { text += ",\"resources\":{\"name\":\"Shop\"}" }
    return text + (members.isEmpty ? "" : "," + members) + "}"
  }
}
