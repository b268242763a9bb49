// SPDX-License-Identifier: MIT

import Basics

extension AlertChannel {
  /// The receiver of a channel's notifications, in a form that is kept on disk and compared after a restart: it names the
  /// receiver and holds no secret.
  package struct Receiver: Hashable, Sendable {
    /// Digest of all that decides which receiver it is, secrets included.
    package var digest: String
    /// Where to, without secrets.
    package var target: String
    /// Of a mail channel; empty for others.
    package var recipients: [String]

    package init(digest: String, target: String, recipients: [String] = []) {
      (self.digest, self.target, self.recipients) = (digest, target, recipients)
    }

    /// Whether notifications for one reach the other, or at least one recipient of it.
    package func isSame(as other: Receiver) -> Bool {
      digest == other.digest || recipients.contains { other.recipients.contains($0) }
    }
  }

  /// The server, the login and the sender of a mail say nothing about its receiver, nor do headers about that of a webhook.
  package var receiver: Receiver {
    let parts: [String]
    var recipients: [String] = []
    switch kind {
    case .webhook(let webhook):
      parts = ["webhook", webhook.format.rawValue, webhook.url.text, webhook.routingKey?.reveal() ?? ""]
    case .mail(let mail):
      recipients = mail.recipients
      parts = ["mail"] + recipients.sorted()
    case .exec(let exec): parts = ["exec"] + exec.command
    }
    // With their lengths, so that no two lists of parts are one text.
    let text = parts.map { "\($0.utf8.count) \($0)" }.joined(separator: "\n")
    return Receiver(
      digest: String(sha256Text(Array(text.utf8)).prefix(32)), target: target, recipients: recipients)
  }
}
