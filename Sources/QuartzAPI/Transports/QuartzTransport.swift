// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// `POST {url}/check-results` with the API key; docs/delivery.md describes the route that the backend needs.
package struct QuartzTransport: ResultTransport {
  package let dialect = DeliveryDialect.quartz
  private let url: HTTPURL
  private let keys: KeyRing
  private let agent: Sender
  private let exchange: any HTTPExchanging
  private let wall: @Sendable () -> Timestamp
  private let withMessages: Bool
  private let report: @Sendable () async -> AgentReport
  private let contact: ContactDesk?

  /// - Parameters:
  ///   - report: how the agent does, asked for each batch.
  ///   - contact: what it can do with the rest of the answer.
  package init(
    _ settings: QuartzSettings, keys: KeyRing, agent: Sender, over wire: Wire,
    report: @escaping @Sendable () async -> AgentReport = { AgentReport() }, contact: ContactDesk? = nil
  ) {
    self.contact = contact
    self.url = settings.url.appending("check-results")
    self.keys = keys
    self.agent = agent
    self.exchange = wire.exchange
    self.wall = wire.wall
    self.withMessages = settings.deliver.messages
    self.report = report
  }

  package func deliver(_ records: [DeliveryRecord]) async throws(CancellationError) -> DeliveryReport {
    let report = await report()
    let request = APIRequest(
      .post, url,
      headers: [
        HeaderField("X-API-Key", keys.key),
        HeaderField("Content-Type", "application/json"),
        HeaderField("Accept", "application/json"),
      ], body: body(records, report), timeout: .seconds(60))
    let reply = try await exchange.exchange(request)
    let outcome = DeliveryRules.judge(reply, by: dialect, sent: records.map(\.sentID), now: wall())
    return DeliveryReport(outcome, reply)
  }

  package func renewCredentials() async throws(CancellationError) -> Bool { await keys.renew() }

  private func body(_ records: [DeliveryRecord], _ report: AgentReport) -> [UInt8] {
    var json = JSONWriter(reserving: 256 + records.count * 420)
    json.object { json in
      json.key("agent")
      json.object { json in
        json.field("name", agent.name)
        json.fieldIfPresent("region", agent.region)
        json.fieldIfPresent("location", agent.location)
        json.field("version", agent.version)
        report.write(into: &json, now: wall())
        if let contact {
          json.key("can")
          json.array { json in for word in contact.can { json.string(word) } }
          contact.say().write(into: &json)
        }
      }
      json.key("results")
      json.array { json in
        for record in records {
          WireRow(record, withMessage: withMessages, ask: contact?.ask(record))
            .write(into: &json, agentFields: true)
        }
      }
    }
    return json.bytes
  }
}

/// Parts of the outside that a transport needs.
package struct Wire: Sendable {
  package var exchange: any HTTPExchanging
  /// For waits: it does not step.
  package var now: @Sendable () -> Timestamp
  /// For what is sent, and beside what the server says of its own time.
  package var wall: @Sendable () -> Timestamp
  /// Waits for a request's turn in the rate budget.
  package var admitted: @Sendable (RequestUse) async throws(CancellationError) -> Void
  /// Told what an answer says about the rate.
  package var observe: @Sendable (OutboundAnswer) async -> Void

  package init(
    exchange: any HTTPExchanging, now: @escaping @Sendable () -> Timestamp,
    observe: @escaping @Sendable (OutboundAnswer) async -> Void = { _ in },
    admitted: @escaping @Sendable (RequestUse) async throws(CancellationError) -> Void
  ) {
    self.exchange = exchange
    (self.now, wall) = (now, now)
    self.admitted = admitted
    self.observe = observe
  }

  package init(exchange: any HTTPExchanging, gate: RateGate) {
    let time = gate.time
    self.init(exchange: exchange, now: { time.now }, observe: { await gate.observe($0) }) {
      use throws(CancellationError) in
      try await gate.admitted(use)
    }
    wall = { time.wall }
  }
}
