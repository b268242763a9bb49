// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Meaning of each answer. Pure: bytes in, meaning out; the table in docs/delivery.md is this file in prose.
package enum DeliveryRules {
  /// - Parameter sent: the ids under which the rows of the batch went out, in order.
  package static func judge(
    _ reply: APIReply, by dialect: DeliveryDialect, sent: [UniqueID], now: Timestamp
  ) -> DeliveryOutcome {
    switch reply {
    case .failure(let why):
      return .transient(
        Notice.warning(.delivery, "cannot reach \(dialect.receiver): \(why.printable(maxBytes: 160))"),
        wait: nil,
        blamesBatch: false)
    case .response(let response):
      switch response.status {
      case 200...299: return acknowledgement(response, by: dialect, sent: sent)
      case 300...399: return redirected(response, dialect)
      default: return refusal(Refusal(response, dialect: dialect, now: now))
      }
    }
  }

  private static func acknowledgement(
    _ response: OutboundAnswer, by dialect: DeliveryDialect, sent: [UniqueID]
  ) -> DeliveryOutcome {
    if let acknowledgement = dialect.acknowledgement(response, sent: sent) {
      return .acknowledged(acknowledgement)
    }
    // A captive portal or a proxy's page: it must never pass for the receiver's word.
    return .transient(
      Notice.warning(
        .delivery, "\(dialect.receiver) answered \(response.status), but not as the receiver does",
        hint:
          "something between here and there answers in its place (captive portal, proxy), or the url is wrong"
      ),
      wait: nil, blamesBatch: false)
  }

  private static func redirected(_ response: OutboundAnswer, _ dialect: DeliveryDialect) -> DeliveryOutcome {
    .misconfigured(
      Notice.warning(
        .delivery,
        "\(dialect.receiver) answered with a redirect (\(response.status)), which is never followed with a key",
        hint: "set \(dialect.urlKey) to the final address"),
      retry: .seconds(300))
  }

  /// The body's code decides before the status: this backend answers 500 to nearly everything.
  private static func refusal(_ refusal: Refusal) -> DeliveryOutcome {
    if refusal.status == 413 { return .tooLarge }
    if refusal.status == 429 { return .throttled(refusal.wait) }
    switch refusal.codeClass {
    case .rows: return rowsRefused(refusal)
    case .authorization: return .unauthorized(refusal.dialect.unauthorized(refusal))
    case .schema: return .misconfigured(schemaTrouble(refusal), retry: .seconds(900))
    case .passing: return transient(refusal)
    case nil: return byStatus(refusal)
    }
  }

  private static func byStatus(_ refusal: Refusal) -> DeliveryOutcome {
    switch refusal.status {
    case 400, 409, 422: rowsRefused(refusal)
    case 401, 403: .unauthorized(refusal.dialect.unauthorized(refusal))
    case 404, 405: .misconfigured(refusal.dialect.missing(refusal), retry: .seconds(900))
    case 408, 425, 500...599: transient(refusal)
    default:
      .misconfigured(
        Notice.warning(
          .delivery, "\(refusal.dialect.receiver) refuses the request: \(refusal.words)",
          hint: "check \(refusal.dialect.urlKey), and any proxy in between"),
        retry: .seconds(900))
    }
  }

  private static func rowsRefused(_ refusal: Refusal) -> DeliveryOutcome {
    let code = refusal.code ?? "http_\(refusal.status)"
    if code == "23503", let check = refusal.namedCheck { return .checkGone(check, code: code) }
    return .rowsRefused(code: code)
  }

  private static func transient(_ refusal: Refusal) -> DeliveryOutcome {
    .transient(
      Notice.warning(.delivery, "\(refusal.dialect.receiver) has trouble: \(refusal.words)"),
      wait: refusal.wait,
      blamesBatch: refusal.status == 500 && refusal.code == nil)
  }

  private static func schemaTrouble(_ refusal: Refusal) -> Notice {
    Notice.warning(
      .delivery, "\(refusal.dialect.receiver)'s database does not fit: \(refusal.words)",
      hint: "bring the backend's schema up to date")
  }
}

/// An answer that is no success, read.
package struct Refusal: Hashable, Sendable {
  package var status: Int
  /// A SQLSTATE or a PostgREST code; the envelope's own words (`INTERNAL_ERROR`) say no more than the status.
  package var code: String?
  /// The server's own sentence, made safe.
  package var message: String?
  /// The check that a foreign key error names.
  var namedCheck: UniqueID?
  /// The session is over, and a new one is worth a try.
  package var isExpired: Bool
  package var wait: Duration?
  package var dialect: DeliveryDialect

  enum CodeClass: Hashable, Sendable {
    case rows, authorization, schema, passing
  }

  init(_ response: OutboundAnswer, dialect: DeliveryDialect, now: Timestamp) {
    self.status = response.status
    self.dialect = dialect
    self.wait = RetryAfter.wait(response, now: now)
    let body = response.json
    // PostgREST puts the members at the top, the API's envelope puts them under `error`.
    let error = body?["error"]?.members == nil ? body : body?["error"]
    let code = error?["code"]?.string
    self.code = code.flatMap { Self.isCode($0) ? $0 : nil }
    self.message = error?["message"]?.string?.printable(maxBytes: 120)
    let details = [error?["details"]?.string, error?["message"]?.string].compactMap { $0 }
    self.namedCheck = details.lazy.compactMap(ReceiverWords.missingCheck).first
    self.isExpired = self.message.map(ReceiverWords.saysExpired) ?? false
  }

  /// Status, code and sentence in one line.
  package var words: String {
    ["\(status)", code, message].compactMap { $0 }.joined(separator: " ")
  }

  var codeClass: CodeClass? {
    guard let code else { return nil }
    switch code {
    case "42501", "PGRST301", "PGRST302", "PGRST303": return .authorization
    case "PGRST102", "PGRST204": return .rows
    case "PGRST000", "PGRST001", "PGRST002", "PGRST003": return .passing
    case "PGRST202", "PGRST205": return nil
    default: break
    }
    switch code.prefix(2) {
    case "21", "22", "23": return .rows
    case "42": return .schema
    case "PG": return nil
    default: return .passing
    }
  }

  private static func isCode(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
    return isPlain && (text.utf8.count == 5 || (text.hasPrefix("PGRST") && text.utf8.count == 8))
  }
}
