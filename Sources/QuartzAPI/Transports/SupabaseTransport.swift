// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// `POST {project}/rest/v1/check_results?on_conflict=id`: the way in that the backend has today.
package struct SupabaseTransport: ResultTransport {
  package let dialect = DeliveryDialect.supabase
  private let url: HTTPURL
  private let session: SupabaseSession
  private let wire: Wire
  private let withMessages: Bool

  package init(
    _ settings: SupabaseSettings, withMessages: Bool, over wire: Wire
  ) {
    self.url = settings.url.appending("rest/v1/check_results", query: "on_conflict=id")
    self.session = SupabaseSession(settings, over: wire)
    self.wire = wire
    self.withMessages = withMessages
  }

  package func deliver(_ records: [DeliveryRecord]) async throws(CancellationError) -> DeliveryReport {
    let bearer: Redacted
    switch try await session.bearer() {
    case .token(let token): bearer = token
    case .refused(let report): return report
    }
    let request = APIRequest(
      .post, url,
      headers: [
        HeaderField("apikey", session.gatewayKey),
        HeaderField("Authorization", "Bearer \(bearer.reveal())"),
        HeaderField("Content-Type", "application/json"),
        // Without it a repeated id is a 409 for the whole batch; with it, on_conflict makes it nothing.
        HeaderField("Prefer", "resolution=ignore-duplicates,return=minimal"),
      ], body: body(records), timeout: .seconds(60))
    let reply = try await wire.exchange.exchange(request)
    let outcome = DeliveryRules.judge(reply, by: dialect, sent: records.map(\.sentID), now: wire.wall())
    return DeliveryReport(outcome, reply)
  }

  package func renewCredentials() async throws(CancellationError) -> Bool { session.expire() }

  private func body(_ records: [DeliveryRecord]) -> [UInt8] {
    var json = JSONWriter(reserving: 64 + records.count * 340)
    json.array { json in
      for record in records {
        WireRow(record, withMessage: withMessages).write(into: &json, agentFields: false)
      }
    }
    return json.bytes
  }
}
