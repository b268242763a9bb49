// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// A receiver's answer, in one line for `alert test`.
struct WebhookAnswer {
  private let secrets: KnownSecrets

  /// Bytes of a body's first line that are shown.
  private static let shown = 200
  /// A shorter text is found in any text.
  private static let shortest = 6

  init(_ webhook: WebhookChannel) {
    let parts = webhook.url.text.split { "/?&=#".contains($0) }.dropFirst(2).map(String.init)
    let headers = webhook.headers.flatMap { $0.value.reveal().split(separator: " ").map(String.init) }
    let key = [webhook.routingKey?.reveal()].compactMap(\.self)
    secrets = KnownSecrets(parts + headers + key, atLeast: Self.shortest)
  }

  /// Status and the first line of the body. A line that repeats a secret of the channel is not shown.
  func line(of answer: OutboundAnswer) -> String {
    let status = answer.status
    let first = answer.body.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).first.map(Array.init) ?? []
    if first.isEmpty { return "\(status)" }
    if secrets.areRepeated(in: first) {
      return "\(status), and a text that repeats a secret of the channel"
    }
    return "\(status) \(String(decoding: first, as: UTF8.self).printable(maxBytes: Self.shown))"
  }
}
