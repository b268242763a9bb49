// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization

/// A signed-in user's token, renewed at 80 % of its life.
final class SupabaseSession: Sendable {
  private struct Token: Sendable {
    var bearer: Redacted
    var renewAt: Timestamp
  }

  private let login: SupabaseSettings.Login
  private let url: HTTPURL
  private let apiKey: Redacted
  private let wire: Wire
  private let token = Mutex<Token?>(nil)

  init(_ settings: SupabaseSettings, over wire: Wire) {
    self.login = settings.login
    self.url = settings.url.appending("auth/v1/token", query: "grant_type=password")
    self.wire = wire
    switch settings.login {
    case .serviceKey(let key): self.apiKey = settings.apiKey ?? key
    case .password: self.apiKey = settings.apiKey ?? Redacted("")
    }
  }

  /// The key that identifies the project to the gateway.
  var gatewayKey: Redacted { apiKey }

  enum Bearer: Sendable {
    case token(Redacted)
    case refused(DeliveryReport)
  }

  /// A bearer that is good for now, signing in where needed.
  func bearer() async throws(CancellationError) -> Bearer {
    guard case .password(let email, let password) = login else {
      if case .serviceKey(let key) = login { return .token(key) }
      return .token(apiKey)
    }
    let now = wire.now()
    if let bearer = token.withLock({ held in held.flatMap { $0.renewAt > now ? $0.bearer : nil } }) {
      return .token(bearer)
    }
    return try await signIn(email: email, password: password)
  }

  /// Drops the token, so that the next request signs in. True when that can help: a service key stays what it is.
  func expire() -> Bool {
    guard case .password = login else { return false }
    token.withLock { $0 = nil }
    return true
  }

  private func signIn(email: String, password: Redacted) async throws(CancellationError) -> Bearer {
    try await wire.admitted(.session)
    var json = JSONWriter(reserving: 128)
    json.object { json in
      json.field("email", email)
      json.field("password", password.reveal())
    }
    var request = APIRequest(
      .post, url,
      headers: [
        HeaderField("apikey", apiKey),
        HeaderField("Content-Type", "application/json"),
      ], body: json.bytes)
    request.hasSecretBody = true
    let reply = try await wire.exchange.exchange(request)
    guard case .response(let response) = reply, response.status == 200, let body = response.json,
      let bearer = body["access_token"]?.string, !bearer.isEmpty, let life = body["expires_in"]?.integer,
      life > 0
    else { return .refused(refusal(reply)) }
    let held = Redacted(bearer)
    // A token of a year is renewed after a day all the same.
    // bounded: at most 108,000 times 800
    let renewAt = wire.now().advanced(by: .milliseconds(min(life, 108_000) * 800))
    token.withLock { $0 = Token(bearer: held, renewAt: renewAt) }
    return .token(held)
  }

  /// 400 is how the sign-in says "wrong password"; it must not be taken for a refused row.
  private func refusal(_ reply: APIReply) -> DeliveryReport {
    if case .response(let response) = reply, [400, 401, 403, 422].contains(response.status) {
      let trouble = Notice.warning(
        .delivery, "supabase refuses the sign-in (\(response.status))",
        hint: "check quartz.supabase.email, password and api_key")
      return DeliveryReport(.unauthorized(trouble), reply)
    }
    return DeliveryReport(DeliveryRules.judge(reply, by: .supabase, sent: [], now: wire.wall()), reply)
  }
}
