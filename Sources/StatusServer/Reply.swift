// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// An answer, before it meets the HTTP library.
struct Reply: Sendable {
  enum Kind: Sendable {
    case html, json, text, metrics, plainMetrics, protobufMetrics
    /// A stream that has no end of its own.
    case events
    case svg, png, jpeg, webp
    case atom, jsonFeed
    case csv

    var contentType: String {
      switch self {
      case .html: "text/html; charset=utf-8"
      case .json: "application/json"
      case .text: "text/plain; charset=utf-8"
      case .plainMetrics: "text/plain; version=0.0.4; charset=utf-8"
      case .protobufMetrics:
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
      case .svg: "image/svg+xml"
      case .csv: "text/csv; charset=utf-8; header=present"
      case .png: "image/png"
      case .jpeg: "image/jpeg"
      case .webp: "image/webp"
      case .atom: "application/atom+xml; charset=utf-8"
      case .jsonFeed: "application/feed+json; charset=utf-8"
      case .events: "text/event-stream; charset=utf-8"
      case .metrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  static let server = "quartz-agent"

  var status: Int
  var kind: Kind
  var body: [UInt8]
  /// Nonce of the page's style and script. `nil` where there are none.
  var styleNonce: String?
  /// For a HEAD request: the headers of the answer without it.
  var omitsBody = false
  var allow: String?
  /// Anybody may have it, keep it for a while, and show it on pages of their own.
  var isShared = false
  /// Other pages may show it in a frame.
  var mayBeFramed = false
  /// The page shows pictures that this server has.
  var hasOwnImages = false
  /// Of the content. `nil` where it is not said.
  var language: PublicLanguage?
  /// Of a JSON document: the header `X-Request-Id`.
  var requestID: String?
  /// Of a 303.
  var location: String?
  /// Of one that signs in or out: the Set-Cookie headers.
  var cookies: [String] = []
  /// Of a 429, seconds.
  var retryAfter: Int?
  /// Of a check of the store.
  var isSound: Bool?
  /// Of `/livez`: which agent this is. `nil` where it has no socket for commands.
  var mark: String?
  /// Headers of a request that make the answer another one.
  var varies: [String] = []
  /// The body is gzip.
  var isCompressed = false
  /// The body in gzip, of an answer that many are given. `nil` where it was not made before.
  var packed: [UInt8]?
  /// Of a 401: how the client may say who it is.
  var challenge: Challenge?

  /// RFC 9110, section 11.6.1.
  enum Challenge: String {
    /// RFC 7617: a browser asks the person.
    case basic = "Basic realm=\"quartz-agent\", charset=\"UTF-8\""
    /// RFC 6750, section 3.
    case bearer = "Bearer realm=\"quartz-agent\""
  }

  init(_ status: Int = 200, _ kind: Kind, _ body: [UInt8], styleNonce: String? = nil) {
    self.status = status
    self.kind = kind
    self.body = body
    self.styleNonce = styleNonce
  }

  init(_ status: Int, text: String) { self.init(status, .text, Array(text.utf8)) }

  /// Nothing may be fetched, run, framed or sent elsewhere; the page has one style element, one script, which may ask
  /// this server alone, and a data: icon. A widget alone may be framed.
  var policy: String {
    let images = hasOwnImages ? "'self' data:" : "data:"
    let style =
      styleNonce.map {
        "; style-src 'nonce-\($0)'; script-src 'nonce-\($0)'; connect-src 'self'; img-src \(images)"
      } ?? ""
    let frames = mayBeFramed ? "*" : "'none'"
    return "default-src 'none'\(style); base-uri 'none'; form-action 'self'; frame-ancestors \(frames)"
  }
}

extension Reply {
  /// All but those that are about the connection and the body's length.
  var headers: [(String, String)] {
    var headers = [
      // How `quartz-agent status` knows that it is an agent that answers.
      ("Server", Self.server), ("Content-Type", kind.contentType), ("Content-Security-Policy", policy),
      ("X-Content-Type-Options", "nosniff"),
      ("Cache-Control", isShared ? "public, max-age=30" : "no-store"),
      ("Cross-Origin-Resource-Policy", isShared ? "cross-origin" : "same-origin"),
    ]
    if !varies.isEmpty { headers.append(("Vary", varies.joined(separator: ", "))) }
    if isCompressed { headers.append(("Content-Encoding", "gzip")) }
    if let language { headers.append(("Content-Language", language.rawValue)) }
    if let allow { headers.append(("Allow", allow)) }
    if let requestID { headers.append(("X-Request-Id", requestID)) }
    if let location { headers.append(("Location", location)) }
    for cookie in cookies { headers.append(("Set-Cookie", cookie)) }
    if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
    if let isSound { headers.append((SpoolAnswer.soundHeader, isSound ? "yes" : "no")) }
    if let mark { headers.append((AgentMark.header, mark)) }
    if let challenge { headers.append(("WWW-Authenticate", challenge.rawValue)) }
    return headers
  }
}
