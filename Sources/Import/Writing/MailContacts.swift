// SPDX-License-Identifier: MIT

import Basics

/// Contacts that another monitor notifies by mail: a channel for each way in which one is notified, and rules for the checks
/// that notify it. For one thread.
final class MailContacts {
  /// How a contact is notified.
  struct Way: Hashable {
    var contact: ByteText
    var recovers: Bool
    var reminds: Bool
  }

  /// Reason for the values of a contact that became no channel.
  static let unused =
    "no imported check notifies this contact by mail: write alerts.channels, see docs/alerts.md"

  private let program: String
  private let sender: String
  private var channels: [Way: ImportedCheck] = [:]
  private var order: [Way] = []
  private var used: Set<ByteText> = []
  private var names = FreeNames()
  private var rules = RuleBook()
  /// Checks whose warnings a channel is notified of, by how long they have to last.
  private var warned: [ByteText: [Int: [Int]]] = [:]
  private var reminders = Reminders()

  /// - Parameters:
  ///   - program: the other monitor.
  ///   - sender: the address that its mails come from.
  init(program: String, sender: String) { (self.program, self.sender) = (program, sender) }

  /// Name of the channel; `nil` when there is none yet.
  func channel(_ way: Way) -> String? { channels[way]?.name }

  /// Whether the contact has a channel.
  func isUsed(_ contact: String) -> Bool { used.contains(ByteText(contact)) }

  /// A channel for a way, which `keep` takes.
  func made(_ way: Way, to address: String) -> ImportedCheck {
    var words = way.contact.text
    if !way.recovers { words += " without recovery" }
    if !way.reminds { words += " once" }
    var made = ImportedCheck(named: names.take(words))
    made["mail.server"] = .plain("localhost:25")
    made["mail.tls"] = .plain("none")
    made["mail.from"] = .plain(sender)
    let (addresses, others) = Self.addresses(in: address)
    made["mail.to"] = .list(addresses.map { .text($0) })
    made["recovered"] = .flag(way.recovers)
    made["updates"] = .flag(way.reminds)
    made.note(
      .changed, "email",
      "\(program) hands mail to the machine's own mailer; here localhost:25 gets it, from \(sender): "
        + "set mail.server and mail.from")
    for other in others {
      made.note(.laxer, "email", "\"\(other.printable(maxBytes: 60))\" has no @, so it gets no mail")
    }
    return made
  }

  /// Addresses between commas or blanks, each with or without a name before it, as in `Ann <ann@a.example>`; a text
  /// without any stays as it is.
  private static func addresses(in text: String) -> (addresses: [String], others: [String]) {
    var (addresses, others): ([String], [String]) = ([], [])
    for part in text.split(separator: ",") {
      let part = part.trimmed
      if let open = part.lastIndex(of: "<"), part.hasSuffix(">") {
        addresses.append(String(part[part.index(after: open)...].dropLast()))
        continue
      }
      for word in part.split(whereSeparator: \.isWhitespace).map(String.init) {
        if word.contains("@") { addresses.append(word) } else { others.append(word) }
      }
    }
    return addresses.isEmpty ? ([text], []) : (addresses, others)
  }

  func keep(_ channel: ImportedCheck, _ way: Way) {
    channels[way] = channel
    order.append(way)
    used.insert(way.contact)
  }

  /// - Parameters:
  ///   - fails: the channel is notified when the check is down.
  ///   - warns: the channel is notified when the check is degraded for as long as its attempts take.
  func notify(_ channel: String, of check: inout ImportedCheck, fails: Bool, warns: Bool) {
    if fails { rules.add(check.key, to: channel, after: nil, recoveries: 1) }
    if warns { warned[ByteText(channel), default: [:]][check.warningTime(), default: []].append(check.key) }
  }

  /// Repeats notifications of the check; all channels repeat them as often in the new file.
  ///
  /// - Parameter key: the setting of the other monitor that says how often.
  func remind(of check: inout ImportedCheck, seconds: Double, _ key: String) {
    reminders.add(Int(min(seconds, 1e9) * 1000), of: &check, key)
  }

  /// Degraded is a warning, which only a check with such a limit has.
  static func warns(_ check: ImportedCheck) -> Bool {
    ImportedCheck.limits.contains { check["expect.\($0).warn"] != nil }
  }

  /// Writes channels and rules into the new file.
  ///
  /// - Parameter key: the setting of the other monitor that says how often it repeats notifications.
  func finish(_ ledger: Ledger, interval key: String) {
    if let difference = reminders.difference {
      for way in order where way.reminds { channels[way]?.note(.changed, key, difference) }
    }
    guard !order.isEmpty else { return }
    ledger.sections.reminders = reminders.ofChecks
    ledger.sections.channels += order.compactMap { channels[$0] }
    ledger.sections.rules += rules.rules()
    for channel in order.compactMap({ channels[$0]?.name }) {
      let warned = (warned[ByteText(channel)] ?? [:]).sorted { $0.key < $1.key }
      ledger.sections.rules += warned.map { Self.warnings(of: $1, to: channel, after: $0) }
    }
  }

  private static func warnings(of checks: [Int], to channel: String, after lasting: Int) -> ImportedCheck {
    let span = lasting > 0 ? ForeignDuration.text(lasting) : nil
    var rule = ImportedCheck(
      name: "\(channel) warnings" + (span.map { " after \($0)" } ?? ""), type: "state")
    rule["state"] = .plain("degraded")
    rule["for"] = .plain(span ?? "0s")
    rule["channels"] = .list([.text(channel)])
    rule.selected = checks
    return rule
  }
}
