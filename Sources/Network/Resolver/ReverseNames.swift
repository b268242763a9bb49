// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension SystemResolver {
  /// The name that reverse DNS has for an address, by the machine's own name servers; `nil` for none, or none in time.
  package func reverseName(of address: IPAddress, until deadline: Instant) async -> String? {
    guard let name = DNSName(address.reverseName) else { return nil }
    let question = DNSQuestion(name: name, type: .ptr)
    let reply = try? await ask(question, recursion: true, over: .udp, phase: .dns, until: deadline)
    guard case .message(let message) = reply?.content, message.rcode == .noError else { return nil }
    for record in message.answers where record.type == .ptr {
      guard case .name(let host) = record.value, host != .root else { continue }
      return String(host.description.dropLast()).printable(maxBytes: 255)
    }
    return nil
  }
}
