// SPDX-License-Identifier: MIT

import Basics

/// A notification channel.
package struct AlertChannel: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case webhook(WebhookChannel)
    case mail(MailChannel)
    case exec(ExecChannel)
  }

  /// Unique.
  package var name: String
  package var kind: Kind
  /// Lowest severity routed to this channel.
  package var severity = AlertSeverity.low
  /// Reminders, too.
  package var updates = true
  package var sendsRecovered = true
  /// Notifications of who acknowledged an incident, too. PagerDuty always gets them.
  package var acknowledged = false
  /// Keeps out of notifications where checks go.
  package var hidesTargets = false
  /// Over one attempt.
  package var timeout: Duration = .seconds(10)
  package var template = AlertTemplate()
  /// Why nothing may be sent from here; `nil` where every value could be read.
  package var unread: UnreadCredentials?

  package init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }

  /// Channels of a configuration.
  package static let limit = 32
  package static let timeout: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

  /// Where to, without secrets.
  package var target: String {
    switch kind {
    case .webhook(let webhook): "\(webhook.url.scheme.rawValue)://\(webhook.url.endpoint)"
    case .mail(let mail): mail.recipients.joined(separator: ", ")
    case .exec(let exec): exec.command.first ?? ""
    }
  }

  /// How often a receiver that forgets is sent the same again; `nil` when it does not forget.
  package var keepAlive: Duration? { format == .alertmanager ? .seconds(240) : nil }

  /// Keeps a state of its own for each incident, which must be right: it always gets keep-alive and resolve for what it was
  /// sent, and only a first trigger may be held.
  package var keepsState: Bool { format == .alertmanager || format == .pagerduty }

  /// Gets acknowledgements: receivers that know them, and people who asked for them.
  package var sendsAcknowledged: Bool { format == .pagerduty || acknowledged }

  private var format: WebhookChannel.Format? {
    if case .webhook(let webhook) = kind { webhook.format } else { nil }
  }
}

package struct WebhookChannel: Hashable, Sendable {
  package enum Format: String, CaseIterable, Hashable, Sendable {
    /// Everything, by a schema of its own.
    case json
    case slack, teams, discord, ntfy, pagerduty, alertmanager
  }

  /// Its path is a secret with most receivers.
  package var url: HTTPURL
  package var format: Format
  package var method: String
  package var headers: [HeaderField]
  /// Of PagerDuty's integration.
  package var routingKey: Redacted?
  package var caFile: String?

  package init(
    url: HTTPURL, format: Format, method: String = "POST", headers: [HeaderField] = [],
    routingKey: Redacted? = nil,
    caFile: String? = nil
  ) {
    (self.url, self.format, self.method, self.headers) = (url, format, method, headers)
    (self.routingKey, self.caFile) = (routingKey, caFile)
  }
}

package struct MailChannel: Hashable, Sendable {
  package enum Security: String, CaseIterable, Hashable, Sendable {
    /// In plain text until STARTTLS, and never beyond without it.
    case starttls
    case implicit
    case none
  }

  package var server: Endpoint
  package var security: Security
  package var username: String?
  package var password: Redacted?
  package var sender: String
  package var recipients: [String]
  package var caFile: String?
  /// Name given in EHLO; `nil` when it is the host's own.
  package var hello: String?

  package init(
    server: Endpoint, security: Security, username: String? = nil, password: Redacted? = nil, sender: String,
    recipients: [String], caFile: String? = nil
  ) {
    (self.server, self.security, self.username, self.password) = (server, security, username, password)
    (self.sender, self.recipients, self.caFile) = (sender, recipients, caFile)
  }
}

package struct ExecChannel: Hashable, Sendable {
  /// An absolute path, and arguments; no shell reads them.
  package var command: [String]

  package init(command: [String]) { self.command = command }
}
