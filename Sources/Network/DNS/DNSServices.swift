// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension SystemResolver {
  /// The services of a name by its SRV records (RFC 2782), in the order of their priorities and names. Asked of the
  /// machine's name servers; a service that is said not to be there (a target of `.`) is left out.
  ///
  /// - Parameter name: such as `_https._tcp.example.com`.
  /// - Returns: nil and why, where there are none or no server answered.
  package func services(
    of name: String, until deadline: Instant
  ) async throws(CancellationError) -> (services: [Endpoint], problem: String?) {
    guard let owner = DNSName(name) else { return ([], "\(quoted(name)) is no name") }
    let question = DNSQuestion(name: owner, type: .srv)
    let reply = try await ask(question, recursion: true, over: .udp, phase: .dns, until: deadline)
    switch reply.content {
    case .failure(let verdict): return ([], verdict.message ?? verdict.reason.rawValue)
    case .message(let message):
      guard message.rcode == .noError else { return ([], "the name server answered \(message.rcode)") }
      let services = message.services
      return services.isEmpty ? ([], "\(name) has no SRV records") : (services, nil)
    }
  }
}

extension DNSMessage {
  /// Those of its SRV records, in their order.
  var services: [Endpoint] {
    let records = answers.compactMap(ServiceRecord.init)
    return records.sorted { ($0.priority, $0.text) < ($1.priority, $1.text) }.map(\.endpoint)
  }
}

/// `10 5 443 www.example.com.`, as the reader of messages writes it.
private struct ServiceRecord {
  let priority: UInt16
  let endpoint: Endpoint
  let text: String

  init?(_ record: DNSRecord) {
    guard record.type == .srv, case .text(let text) = record.value else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 4, let priority = UInt16(words[0]), let port = UInt16(words[2]), port > 0,
      words[3] != "."
    else { return nil }
    self.text = text
    self.priority = priority
    endpoint = Endpoint(host: String(words[3].hasSuffix(".") ? words[3].dropLast() : words[3]), port: port)
  }
}
