// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI

/// The receiver of results and the way to it: rows by id, and everything that can go wrong with a request.
///
/// No lock: the simulator has one thread.
final class Backend: @unchecked Sendable {
  enum Mood: CaseIterable {
    case well
    /// Nothing listens.
    case refusing
    /// Nothing answers, and nothing was stored.
    case silent
    /// Everything was stored, and the answer is lost.
    case mute
    /// Everything was stored, and the answer says that it was not.
    case lying
    case failing
    case overloaded
    case throttling
    case locked
    /// Something on the way answers in its place.
    case portal
    case slow
  }

  struct Row {
    let check: UniqueID
    let scheduledAt: Timestamp
    let state: String
  }

  private let clock: WorldClock
  private var dice: Dice
  private(set) var rows: [UniqueID: Row] = [:]
  /// Rows that it will never take.
  private(set) var refused: Set<UniqueID> = []
  private(set) var requests = 0
  private(set) var duplicates = 0
  var mood = Mood.well
  /// It reads requests and writes answers byte by byte; the sender may have given up before the end of either.
  var isDripping = false
  /// Rows of this check are refused, each with a code; nil: of none.
  var unwanted: UniqueID?
  /// Told of each row that is new.
  var observe: (UniqueID, Row) -> Void = { _, _ in }
  /// Told when there were more requests than it documents, in words.
  var overrun: (String) -> Void = { _ in }

  init(_ clock: WorldClock, seed: UInt64) {
    self.clock = clock
    dice = Dice(seed, "backend")
  }

  /// The list of checks that it gives; nil: it has none.
  var list: RemoteList?
  /// The status of resources, as it was told.
  private(set) var resources: [UniqueID: String] = [:]

  /// A request leaves now; `answer` is called when the sender knows how it went.
  func take(_ request: APIRequest, by sender: BackendWay, _ answer: @escaping (APIReply) -> Void) {
    requests += 1
    if let words = sender.count(at: clock.now) { overrun(words) }
    let mood = sender.isCut ? .refusing : mood
    if isDripping, mood == .well { return drip(request, answer) }
    let way = dice.time(.milliseconds(5) ... .milliseconds(200))
    let work =
      mood == .slow
      ? dice.time(.seconds(2) ... .seconds(50)) : dice.time(.milliseconds(2) ... .milliseconds(80))
    clock.after(way) {
      let reply = self.reply(to: request, mood)
      let wait = mood == .silent || mood == .mute ? Duration.seconds(60) : way + work
      self.clock.after(wait) { answer(reply) }
    }
  }

  /// The sender waits for a minute in all. What came to its end too late was stored all the same, and what did not arrive
  /// was not.
  private func drip(_ request: APIRequest, _ answer: @escaping (APIReply) -> Void) {
    let (there, back) = (dice.time(.seconds(1) ... .seconds(70)), dice.time(.seconds(1) ... .seconds(40)))
    let limit = Duration.seconds(60)
    if there < limit {
      clock.after(there) {
        let reply = self.reply(to: request, .well)
        guard there + back < limit else { return }
        self.clock.after(back) { answer(reply) }
      }
    }
    if there + back >= limit { clock.after(limit) { answer(.failure("no answer within 60 s")) } }
  }

  private func reply(to request: APIRequest, _ mood: Mood) -> APIReply {
    switch mood {
    case .well, .slow: return serve(request)
    case .refusing: return .failure("connection refused")
    case .silent: return .failure("no answer within 60 s")
    case .mute:
      _ = serve(request)
      return .failure("no answer within 60 s")
    case .lying:
      _ = serve(request)
      return .response(OutboundAnswer(status: 502))
    case .failing: return .response(OutboundAnswer(status: 500, body: Array(#"{"error":"internal"}"#.utf8)))
    case .overloaded:
      return .response(OutboundAnswer(status: 503, headers: [HeaderField("Retry-After", "20")]))
    case .throttling:
      return .response(OutboundAnswer(status: 429, headers: [HeaderField("Retry-After", "60")]))
    case .locked: return .response(OutboundAnswer(status: 401))
    case .portal: return .response(OutboundAnswer(status: 200, body: Array("<html>Welcome</html>".utf8)))
    }
  }

  private func serve(_ request: APIRequest) -> APIReply {
    let path = request.url.path
    switch request.method {
    case .post: return store(request.body)
    case .get where path.hasSuffix("/monitoring-checks"):
      return list?.page() ?? .response(OutboundAnswer(status: 404))
    case .get:
      let none = #"{"success":true,"data":[],"meta":{"total":0,"total_pages":0}}"#
      return .response(OutboundAnswer(status: 200, body: Array(none.utf8)))
    case .put: return tell(path, request.body)
    }
  }

  private func tell(_ path: String, _ body: [UInt8]) -> APIReply {
    guard let word = path.split(separator: "/").last, let resource = UniqueID(String(word)),
      let status = (try? JSONValue.parse(body))?["status"]?.string
    else { return .response(OutboundAnswer(status: 400)) }
    resources[resource] = status
    return .response(OutboundAnswer(status: 200, body: Array(#"{"success":true}"#.utf8)))
  }

  private func store(_ body: [UInt8]) -> APIReply {
    guard let json = try? JSONValue.parse(body), let results = json["results"]?.array else {
      return .response(OutboundAnswer(status: 400))
    }
    var (accepted, known) = (0, 0)
    var rejected: [UniqueID] = []
    for result in results {
      guard let id = result["id"]?.string.flatMap({ UniqueID($0) }),
        let check = result["monitoring_check_id"]?.string.flatMap({ UniqueID($0) }),
        let slot = result["scheduled_at"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
        let state = result["state"]?.string
      else { return .response(OutboundAnswer(status: 400)) }
      if rows[id] != nil {
        known += 1
      } else if check == unwanted {
        rejected.append(id)
        refused.insert(id)
      } else {
        accepted += 1
        let row = Row(check: check, scheduledAt: slot, state: state)
        rows[id] = row
        observe(id, row)
      }
    }
    duplicates += known
    return .response(OutboundAnswer(status: 200, body: answer(accepted, known, rejected)))
  }

  private func answer(_ accepted: Int, _ known: Int, _ rejected: [UniqueID]) -> [UInt8] {
    var json = JSONWriter(reserving: 256)
    json.object { json in
      json.field("success", true)
      json.key("data")
      json.object { json in
        json.field("accepted", accepted)
        json.field("duplicates", known)
        json.key("rejected")
        json.array { json in
          for id in rejected {
            json.object { json in
              json.field("id", id.description)
              json.field("code", "23514")
            }
          }
        }
      }
    }
    return json.bytes
  }
}

/// The way of one machine to it, in every life of its agent.
///
/// No lock: the simulator has one thread.
final class BackendWay: @unchecked Sendable {
  /// Nothing gets there.
  var isCut = false
  /// Of the last hour.
  private var times: [Instant] = []

  /// A hundred in a minute, a thousand in an hour. Nil: so it is.
  fileprivate func count(at now: Instant) -> String? {
    if times.count > 4000 { times.removeFirst(times.count - 1001) }
    times.append(now)
    for (limit, span) in [(100, Duration.seconds(60)), (1000, .seconds(3600))] where times.count > limit {
      if times[times.count - 1 - limit].duration(to: now) < span {
        return "more than \(limit) requests in \(span)"
      }
    }
    return nil
  }
}

/// The way of one life to the backend.
struct LifeExchange: HTTPExchanging {
  let backend: Backend
  let way: BackendWay
  let life: Life

  func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
    guard let reply: APIReply = await life.answer({ backend.take(request, by: way, $0) }) else {
      throw CancellationError()
    }
    return reply
  }
}
