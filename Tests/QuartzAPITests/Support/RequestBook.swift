// SPDX-License-Identifier: MIT

import Basics
import Network
import QuartzAPI
import Synchronization

/// A receiver that answers by a script and notes, in their order, what was admitted, what was asked and what was seen.
final class RequestBook: HTTPExchanging {
  private struct State: Sendable {
    var events: [String] = []
    var requests: [APIRequest] = []
    var now = dawn
  }

  private let state = Mutex(State())
  private let script: @Sendable (Int) -> APIReply

  /// - Parameter script: the answer to the request of that number, from 1 on.
  init(_ script: @escaping @Sendable (Int) -> APIReply) { self.script = script }

  /// The same answer to each request.
  convenience init(_ status: Int, _ body: String, _ headers: [(String, String)] = []) {
    let answer = OutboundAnswer(
      status: status, headers: headers.map { HeaderField($0.0, $0.1) }, body: Array(body.utf8))
    self.init { _ in .response(answer) }
  }

  var events: [String] { state.withLock { $0.events } }
  var requests: [APIRequest] { state.withLock { $0.requests } }

  func move(to now: Timestamp) { state.withLock { $0.now = now } }

  func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
    let number = state.withLock { state in
      state.requests.append(request)
      state.events.append("\(request.method.rawValue) \(request.url.text)")
      return state.requests.count
    }
    return script(number)
  }

  private func note(_ event: String) { state.withLock { $0.events.append(event) } }

  var wire: Wire {
    Wire(
      exchange: self, now: { self.state.withLock { $0.now } }, observe: { self.note("saw \($0.status)") }
    ) { use throws(CancellationError) in
      self.note("admitted \(use)")
    }
  }
}

extension APIRequest {
  /// Its headers in their order, in clear.
  var shownHeaders: [String] { headers.map { "\($0.name): \($0.value.reveal())" } }
  var text: String { String(decoding: body, as: UTF8.self) }
}
