// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// `alerting` and the alerts of endpoints, as channels and rules. A provider becomes a channel for each way in which its alerts
/// are sent; a channel that is not used is not written.
struct GatusAlerts {
  private struct Provider {
    var section: Section
    var overrides: [ByteText: ForeignNode] = [:]
    /// `default-alert`
    var usual: [ByteText: ForeignNode] = [:]
  }

  private let ledger: Ledger
  private var providers: [ByteText: Provider] = [:]
  private var channels: [ByteText: ImportedCheck] = [:]
  private var order: [ByteText] = []
  /// Why channels cannot be, by their keys.
  private var missing: [ByteText: String] = [:]
  /// Those of each provider, by the names that they would have.
  private var refused: [ByteText: [(name: String, why: String)]] = [:]
  private var refusals: Set<ByteText> = []
  private var names = FreeNames()
  /// Providers that have a channel.
  private var sent: Set<ByteText> = []
  private var book = RuleBook()
  private var reminders = Reminders()

  init(_ sections: [Section], _ ledger: Ledger) {
    self.ledger = ledger
    // Gatus merges its files before it reads them.
    let whole = sections.dropFirst().reduce(sections.first?.node) { $0?.merged(with: $1.node) }
    for entry in whole?.entries ?? [] {
      var provider = Provider(section: Section(entry.value, ledger))
      for node in entry.value["overrides"]?.items ?? [] {
        guard let group = node["group"]?.text, !group.isEmpty else { continue }
        if provider.overrides[ByteText(group)] == nil { provider.overrides[ByteText(group)] = node }
      }
      for (name, value) in entry.value["default-alert"]?.entries ?? [] where !value.isNull {
        provider.usual[ByteText(name)] = value
      }
      providers[ByteText(entry.name)] = provider
    }
  }

  /// The alerts of an endpoint.
  mutating func read(_ endpoint: Section, of check: inout ImportedCheck, group: String) {
    for alert in endpoint["alerts"]?.items ?? [] { add(Section(alert, ledger), of: &check, group: group) }
  }

  private mutating func add(_ alert: Section, of check: inout ImportedCheck, group: String) {
    guard let type = alert["type"]?.text, let provider = providers[ByteText(type)] else {
      return alert.listRest("its provider is not configured, so Gatus sends nothing")
    }
    /// Value of an alert, or of its provider for all alerts; a text that is no such value is listed.
    func value<Value>(_ name: String, _ read: (ForeignNode) -> Value?) -> Value? {
      let usual = provider.usual[ByteText(name)]
      var own = alert[name]
      // A number of 0 is none to Gatus.
      if usual != nil, own?.text == "0" || own?.text.flatMap({ ForeignDuration.milliseconds($0) }) == 0 {
        ledger.carry(own)
        own = nil
      }
      guard let node = own ?? usual else { return nil }
      guard let value = read(node) else {
        ledger.list(node, "it is no value that is known before the start", always: false, .changed)
        return nil
      }
      ledger.carry(node)
      return value
    }
    guard value("enabled", \.flag) != false else {
      ledger.carry(alert["type"])
      return alert.listRest("the alert is off")
    }
    let span: (ForeignNode) -> Int? = { $0.text.flatMap { ForeignDuration.milliseconds($0) } }
    let reminder = value("minimum-reminder-interval", span) ?? 0
    let way = Way(
      type: type, group: group, isResolved: value("send-on-resolved", \.flag) == true, reminds: reminder > 0,
      override: alert.section("provider-override"))
    let channel: String
    do throws(NoChannel) { channel = try self.channel(provider, way) } catch {
      return alert.listAll(error.why)
    }
    ledger.carry(alert["type"])
    if reminder > 0 { reminders.add(reminder, of: &check, "minimum-reminder-interval") }
    let failures = value("failure-threshold", \.number) ?? 0
    let successes = value("success-threshold", \.number) ?? 0
    book.add(
      check.key, to: channel, after: failures > 0 ? min(failures, 1000) : 3,
      recoveries: successes > 0 ? min(successes, 100) : 2)
    alert.list("a notification has the check's own words", "description")
    ledger.list(
      provider.usual["description"], "a notification has the check's own words", always: false)
  }

  /// Rules and channels for the new file; what is left of the providers is listed.
  mutating func finish() {
    ledger.settle()
    if let difference = reminders.difference {
      for name in order where channels[name]?["updates"]?.word == "true" {
        channels[name]?.note(.changed, "minimum-reminder-interval", difference)
      }
    }
    ledger.sections.reminders = reminders.ofChecks
    ledger.sections.rules += book.rules()
    ledger.sections.channels += order.compactMap { channels[$0] }
    for (name, provider) in providers.sorted(by: { $0.key.text < $1.key.text }) {
      let isKnown = GatusChannel.types.contains(name)
      let none = refused[name] ?? []
      if sent.contains(name) { rest(of: provider.section) }
      // What was read of one that cannot be is carried nowhere.
      if isKnown, !sent.contains(name), let why = none.first?.why { provider.section.listAll(why) }
      provider.section.listRest(
        isKnown
          ? "no alert of an endpoint uses it"
          : "no channel here is of this kind: \(name.text.printable(maxBytes: 40))")
      for channel in none { ledger.leaveOut("alerting \(channel.name)", channel.why) }
      ledger.settle()
    }
    ledger.settle()
  }

  /// Settings of a provider that has a channel.
  private func rest(of provider: Section) {
    provider.list("a notification has the priority of its severity", "priority")
    provider.list("a notification has the agent's own words", "title", "body", "mentions", "message-content")
    provider.list(
      "a channel has no client settings of its own", "client", "disable-firebase",
      "disable-cache", change: .changed)
    provider.section("default-alert")?.listRest("no alert of an endpoint uses this default")
    for group in provider["overrides"]?.items ?? [] {
      ledger.list(group, "no endpoint of the group has an alert, or the key is unknown here", always: false)
    }
    provider.listRest("no channel made of it has the setting")
  }

  /// How the alerts of a provider are sent.
  private struct Way {
    var type: String
    var group: String
    var isResolved: Bool
    var reminds: Bool
    var override: Section?
  }

  /// Why there is no channel.
  private struct NoChannel: Error { var why: String }

  /// The name of the channel.
  private mutating func channel(_ provider: Provider, _ way: Way) throws(NoChannel) -> String {
    let group = provider.overrides[ByteText(way.group)]
    let layers = [way.override, group.map { Section($0, ledger) }, provider.section].compactMap(\.self)
    let own = way.override.map { ForeignText.text($0.node) } ?? ""
    let key = ByteText(
      "\(way.type)\u{0}\(group == nil ? "" : way.group)\u{0}\(way.isResolved) \(way.reminds)\u{0}\(own)")
    if let known = channels[key] {
      ledger.carry(way.override?.node)
      return known.name
    }
    if let why = missing[key] { throw NoChannel(why: why) }
    let before = ledger.carried
    var stem = way.type
    if group != nil { stem += " \(GatusVariables.name(way.group))" }
    var made = ImportedCheck(named: "")
    let isFull = order.count >= AlertChannel.limit
    let why =
      !isFull
      ? GatusChannel(layers: layers, ledger).write(way.type, &made)
      : "agent.yaml takes \(AlertChannel.limit) channels"
    if let why {
      missing[key] = why
      let name = isFull ? way.type : stem
      if refusals.insert(ByteText("\(name)\u{0}\(why)")).inserted {
        refused[ByteText(way.type), default: []].append((name: name, why: why))
      }
      throw NoChannel(why: why)
    }
    made.name = names.take(stem)
    if let group { ledger.carry(group["group"]) }
    made["recovered"] = .flag(way.isResolved)
    made["updates"] = .flag(way.reminds)
    made.writeVariables()
    made.carried = ledger.carried - before
    channels[key] = made
    order.append(key)
    sent.insert(ByteText(way.type))
    return made.name
  }
}

extension ForeignNode {
  /// Maps with the entries of both, lists one behind the other; of other values the second.
  fileprivate func merged(with other: ForeignNode) -> ForeignNode {
    var made = self
    switch (content, other.content) {
    case (.list(let items), .list(let more)): made.content = .list(items + more)
    case (.map(var entries), .map(let more)):
      var places = Dictionary(
        entries.enumerated().map { (ByteText($0.element.name), $0.offset) },
        uniquingKeysWith: { _, last in last })
      for entry in more {
        if let place = places[ByteText(entry.name)] {
          entries[place].value = entries[place].value.merged(with: entry.value)
        } else {
          places[ByteText(entry.name)] = entries.count
          entries.append(entry)
        }
      }
      made.content = .map(entries)
    default: return other
    }
    return made
  }
}
