// SPDX-License-Identifier: MIT

import Basics

/// One request, made over one fresh connection to one address that the caller chose.
package struct TransferRequest: Sendable {
  /// Absolute, http or https, without user info. A fragment is not sent.
  package var url: String
  package var method: String
  /// Sent in this order. Only `Accept` is added when it is missing. `Expect: 100-continue` is obeyed
  /// over HTTP/1.1: the body waits for the 100, for a second at most.
  package var headers: [HeaderField]
  /// `nil` for no body. An empty body still sends `Content-Length: 0`.
  package var body: [UInt8]?
  /// `nil` until it is chosen; the request is then refused.
  package var plan: ConnectionPlan?
  /// Spoken to at the plan's address instead of the target, whose name it resolves. `nil` for none, whatever the
  /// environment says.
  package var proxy: ProxySettings?
  /// Over everything, from the call of `perform` on.
  package var timeout: Duration
  /// Over the connection's set-up alone, without TLS, from its start on. `nil` where `timeout` is the only limit.
  package var connectTimeout: Duration?
  /// The goal once the connection is up.
  package var goal: Goal
  /// A redirect (301, 302, 303, 307 or 308 with a Location) reaches the goal at the end of its headers.
  package var stopsAtRedirect = false
  /// A 401 reaches the goal at the end of its headers: what follows needs an answer to its challenge.
  package var stopsAtChallenge = false
  /// With the goal `drain`: an answer without end reaches it at the end of its headers.
  package var stopsAtStream = false
  /// With the goal `drain`: the first 16 KiB of a body that is not compressed are kept all the same.
  package var keepsBeginning = false
  /// With the goal `body`, whose limit does not count then: told each piece of a body as it comes, on the engine's thread,
  /// and nothing is kept. It must not block; false is enough, and reaches the goal.
  package var stream: (@Sendable ([UInt8]) -> Bool)?
  /// Ask for a compressed body and decode it; the body's limit then counts decoded bytes.
  package var decompress = false
  package var httpVersion = HTTPVersionPreference.auto
  package var tls = TLSOptions()
  /// Whose budgets it takes from, and whose queue it waits in.
  package var origin = WorkOrigin(.fileChecks)
  /// How long it may wait for them; `nil`: as long as `timeout`. Waiting takes nothing of the timeout.
  package var patience: Duration?

  /// The event that ends the transfer with success.
  package enum Goal: Hashable, Sendable {
    /// The end of the answer's headers: a body that is not needed is not read.
    case headers
    /// The end of the body; more than `limit` bytes of it is the failure `bodyTooLarge`.
    case body(limit: Int)
    /// The end of the body, whose bytes are counted as they come, not decoded and not kept. More than `limit` of them
    /// reach the goal too: the report then says `truncated`.
    case drain(limit: Int)
    /// The connection, with TLS for https. Nothing of the request is sent.
    case handshake
  }

  package init(
    url: String, plan: ConnectionPlan? = nil, timeout: Duration = .zero, goal: Goal, method: String = "GET",
    headers: [HeaderField] = []
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.plan = plan
    self.timeout = timeout
    self.goal = goal
  }
}

/// Where the bytes go. A name is never resolved here: it may stand in the URL, but it is not what is dialled.
package enum ConnectionPlan: Hashable, Sendable {
  /// From its source, if it has one. The URL's host still is the server name and the Host header.
  case address(SocketAddress)
  /// A connection that stands already. It is taken once, so the request can be made once.
  case connected(ConnectedSocket)
  /// The path of a stream socket on this machine.
  case unixSocket(String)

  /// Address to dial. `nil` for a path.
  var peer: SocketAddress? {
    switch self {
    case .address(let peer): peer
    case .connected(let socket): socket.peer
    case .unixSocket: nil
    }
  }
}

package enum HTTPVersionPreference: Hashable, Sendable {
  /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
  case auto
  case http10
  case http11
  /// Over TLS by ALPN, which offers nothing else and fails without it; without TLS with prior knowledge.
  case http2
}
