// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One request of an http probe: the check's own, or the one a redirect asks for. Pure.
struct HTTPStep: Hashable, Sendable {
  var url: HTTPURL
  var method: String
  /// Whether the check's body goes along.
  var sendsBody: Bool
  /// Whether the check's headers and credentials go along: not once the origin has changed, not even on the way
  /// back.
  var sendsOwnHeaders: Bool
  /// Whether all requests so far went to the check's own host, by whatever scheme and port.
  var staysOnHost = true
  /// Redirects followed so far.
  var redirects: Int
  /// Cookies that earlier hops of this attempt set, as a header's value. `nil` for none.
  var cookies: String?

  init(_ settings: HTTPSettings) {
    url = settings.url
    method = settings.method
    sendsBody = settings.body != nil
    sendsOwnHeaders = true
    redirects = 0
  }

  var endpoint: Endpoint { url.endpoint }
}
