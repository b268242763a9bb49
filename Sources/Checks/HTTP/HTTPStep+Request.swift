// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

extension HTTPStep {
  /// The request without the address to dial and the time to do it in, which are the dialler's.
  func request(_ plan: HTTPPlan) -> TransferRequest {
    let settings = plan.settings
    let needsBody = settings.expect.needsBody
    var request = TransferRequest(
      url: url.text, goal: goal(settings), method: method,
      headers: headers(settings, userAgent: plan.userAgent))
    if sendsBody, let body = settings.body { request.body = Array(body.reveal().utf8) }
    request.stopsAtRedirect = settings.follow
    request.stopsAtStream = settings.readBody == nil && !needsBody
    request.keepsBeginning = plan.attempt.explains
    request.decompress = needsBody && settings.decompress
    request.httpVersion = HTTPVersionPreference(settings.version)
    if prefersHTTP1(settings) { request.httpVersion = .http11 }
    request.proxy = settings.proxy
    request.tls = settings.tls
    request.origin = plan.attempt.origin(of: url.host)
    // Until its slot is over; the caller has the timeout's patience.
    request.patience = plan.attempt.isAsked ? nil : plan.check.interval
    // Another name is meant for the check's own host only, and the client's certificate is a credential.
    if url.host != settings.url.host { request.tls.serverName = nil }
    if !sendsOwnHeaders { (request.tls.clientCertificate, request.tls.clientKey) = (nil, nil) }
    return request
  }

  private func goal(_ settings: HTTPSettings) -> TransferRequest.Goal {
    if settings.expect.needsBody { return .body(limit: settings.maxBody) }
    return settings.readBody == false || method == "HEAD" ? .headers : .drain(limit: settings.maxBody)
  }

  /// Whether HTTP/2 as libcurl 7.88 speaks it would make the verdict uncertain. A body that a broken connection cuts
  /// short looks whole to it, and a server that answers an upload before it has read it (RFC 9113 section 8.1) has
  /// failed every other time. A check with a condition on the version tests the negotiation. A server that speaks
  /// nothing else is asked over HTTP/2 all the same, see `HTTPVersionChoosing`.
  func prefersHTTP1(_ settings: HTTPSettings) -> Bool {
    settings.version == .auto
      && (settings.expect.needsBody || sendsBody && settings.body != nil)
      && settings.expect.httpVersion == nil
  }

  private func headers(_ settings: HTTPSettings, userAgent: String) -> [HeaderField] {
    var standard = [HeaderField("User-Agent", userAgent)]
    // The bytes are to be judged as they come, so they are to come as they are. A range is one of the coded bytes (RFC
    // 9110 section 14.2), which cannot be decoded: browsers ask for none with it (Fetch section 4.6).
    if settings.expect.needsBody, !settings.decompress || sendsRange(settings) {
      standard.append(HeaderField("Accept-Encoding", "identity"))
    }
    guard sendsOwnHeaders else {
      let kept = keptHeaders(settings)
      if kept.contains(where: { $0.name.lowercased() == "user-agent" }) { standard.removeFirst() }
      return standard + kept + (cookies.map { [HeaderField("Cookie", $0)] } ?? [])
    }
    let authorization = settings.auth?.credentials.map { HeaderField("Authorization", $0) }
    if settings.headers.isEmpty { return withCookies(standard) + (authorization.map { [$0] } ?? []) }
    let own = settings.headers.filter { header in
      let name = header.name.lowercased()
      // With the body went what describes it.
      let isDropped = settings.body != nil && !sendsBody && contentHeaders.contains(ByteText(name))
      return !isDropped && (name != "authorization" || authorization == nil)
    }
    let names = Set(own.map { ByteText($0.name.lowercased()) })
    standard.removeAll { names.contains(ByteText($0.name.lowercased())) }
    return standard + withCookies(own) + (authorization.map { [$0] } ?? [])
  }

  private func sendsRange(_ settings: HTTPSettings) -> Bool {
    sendsOwnHeaders && settings.headers.contains { $0.name.lowercased() == "range" }
  }

  /// Headers that go along without the check's credentials: those that describe its body, and on its own host
  /// `User-Agent`.
  private func keptHeaders(_ settings: HTTPSettings) -> [HeaderField] {
    settings.headers.filter { header in
      let name = header.name.lowercased()
      return name == "user-agent" ? staysOnHost : sendsBody && contentHeaders.contains(ByteText(name))
    }
  }

  /// One header holds them all: RFC 6265 section 5.4.
  private func withCookies(_ own: [HeaderField]) -> [HeaderField] {
    guard let cookies else { return own }
    guard let index = own.firstIndex(where: { $0.name.lowercased() == "cookie" }) else {
      return own + [HeaderField("Cookie", cookies)]
    }
    var own = own
    own[index].value = Redacted(own[index].value.reveal() + "; " + cookies)
    return own
  }
}

/// RFC 9110 section 15.4: to be left out when a redirect changes the method.
private let contentHeaders: Set<ByteText> = [
  "content-type", "content-length", "content-encoding", "content-language", "content-location",
]

extension HTTPVersionPreference {
  init(_ choice: HTTPVersionChoice) {
    switch choice {
    case .auto: self = .auto
    case .v10: self = .http10
    case .v11: self = .http11
    case .v2: self = .http2
    }
  }
}

extension HTTPAuth {
  /// The value of an Authorization header: RFC 7617 or RFC 6750. `nil` where the server or an authority speaks first.
  fileprivate var credentials: String? {
    switch self {
    case .basic(let username, let password): "Basic " + Base64.text("\(username):\(password.reveal())".utf8)
    case .bearer(let token): "Bearer " + token.reveal()
    case .digest, .oauth2: nil
    }
  }
}
