// SPDX-License-Identifier: MIT

import Basics

/// An answer, before it meets the HTTP library.
struct Reply: Sendable {
  enum Kind: Sendable {
    case html, json, text, metrics

    var contentType: String {
      switch self {
      case .html: "text/html; charset=utf-8"
      case .json: "application/json"
      case .text: "text/plain; charset=utf-8"
      case .metrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  static let server = "quartz-agent"

  var status: Int
  var kind: Kind
  var body: [UInt8]
  /// What the page's style element must bear to be applied; nil when there is none.
  var styleNonce: String?
  /// For a HEAD request: the headers of the answer without it.
  var omitsBody = false
  var allow: String?
  /// Of a 303.
  var location: String?
  /// Of a check of the store.
  var isSound: Bool?
  /// Of a 401: what a browser tells the person it asks.
  var challenge: String?

  init(_ status: Int = 200, _ kind: Kind, _ body: [UInt8], styleNonce: String? = nil) {
    self.status = status
    self.kind = kind
    self.body = body
    self.styleNonce = styleNonce
  }

  init(_ status: Int, text: String) { self.init(status, .text, Array(text.utf8)) }

  /// Nothing may be fetched, run, framed or sent elsewhere; the page has one style element and a data: icon.
  var policy: String {
    let style = styleNonce.map { "; style-src 'nonce-\($0)'; img-src data:" } ?? ""
    return "default-src 'none'\(style); base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  }
}

extension Reply {
  /// All but those that are about the connection and the body's length.
  var headers: [(String, String)] {
    var headers = [
      // How `quartz-agent status` knows that it is an agent that answers.
      ("Server", Self.server), ("Content-Type", kind.contentType), ("Content-Security-Policy", policy),
      ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    if let allow { headers.append(("Allow", allow)) }
    if let location { headers.append(("Location", location)) }
    if let isSound { headers.append((SpoolAnswer.soundHeader, isSound ? "yes" : "no")) }
    if let challenge {
      headers.append(("WWW-Authenticate", "Basic realm=\"\(challenge)\", charset=\"UTF-8\""))
    }
    return headers
  }
}
