// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// The one outside thing of this room: a request goes out, an answer or a failure comes back.
package protocol HTTPExchanging: Sendable {
  /// A request that got no whole answer is a value too; nothing is thrown but the caller's own cancellation.
  func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply
}

/// One request to the API. It never leaves the origin of its URL and no redirect of it is followed.
package struct APIRequest: Hashable, Sendable {
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }

  package var method: Method
  package var url: HTTPURL
  /// Values may be keys and tokens.
  package var headers: [HeaderField]
  package var body: [UInt8]
  /// Each text in its body, which is JSON, is a secret.
  package var hasSecretBody = false
  /// Over the whole exchange, resolution included.
  package var timeout: Duration

  package init(
    _ method: Method, _ url: HTTPURL, headers: [HeaderField], body: [UInt8] = [],
    timeout: Duration = .seconds(30)
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }

  /// The header's value; the name in any case.
  package func header(_ name: String) -> Redacted? { headers.first(name) }
}

package enum APIReply: Hashable, Sendable {
  case response(OutboundAnswer)
  /// No answer that can be trusted: unresolved, refused, timed out, cut off, longer than the cap. In words.
  case failure(String)
}
