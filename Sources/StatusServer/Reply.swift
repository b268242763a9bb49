// SPDX-License-Identifier: MIT

import Hummingbird
import HummingbirdCore

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

extension Response {
  init(_ reply: Reply) {
    var headers = HTTPFields()
    // How `quartz-agent status` knows that it is an agent that answers.
    headers[.server] = Reply.server
    headers[.contentType] = reply.kind.contentType
    headers[.contentSecurityPolicy] = reply.policy
    headers[.xContentTypeOptions] = "nosniff"
    headers[.cacheControl] = "no-store"
    headers[.crossOriginResourcePolicy] = "same-origin"
    if let allow = reply.allow { headers[.allow] = allow }
    if let location = reply.location { headers[.location] = location }
    if let challenge = reply.challenge {
      headers[.wwwAuthenticate] = "Basic realm=\"\(challenge)\", charset=\"UTF-8\""
    }
    headers[.contentLength] = String(reply.body.count)
    self.init(
      status: .init(code: reply.status), headers: headers,
      body: reply.omitsBody ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
  }
}

extension StatusRequest {
  init(_ request: Request) {
    let method: Method =
      switch request.method {
      case .get: .get
      case .head: .head
      case .post: .post
      default: .other
      }
    let length = request.headers[.contentLength]
    self.init(
      method: method, target: request.head.path ?? "", host: request.head.authority,
      hasBody: request.headers[.transferEncoding] != nil || (length != nil && length != "0"),
      authorization: request.headers[.authorization],
      fetchSite: request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value)
  }
}
