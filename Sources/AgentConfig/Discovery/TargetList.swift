// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Targets in the form that Prometheus reads from files and over HTTP (file_sd_configs, http_sd_configs): a list of
/// `{"targets": ["host:port"], "labels": {"name": "value"}}`, as JSON or YAML.
package struct TargetList: Hashable, Sendable {
  package struct Target: Hashable, Sendable {
    /// As the list has it: a host, host:port, or a URL.
    package var address: String
    package var host: String
    package var port: UInt16?
    package var labels: [Label]

    package init(address: String, host: String, port: UInt16? = nil, labels: [Label] = []) {
      (self.address, self.host, self.port, self.labels) = (address, host, port, labels)
    }
  }

  package struct Label: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  /// A value of a list: a text, or the words for another value that was found.
  private enum Found {
    case text(String)
    case other(String)
  }

  package struct Problem: Error, Hashable, Sendable { package var message: String }

  /// Each once: an address with other labels is another target.
  package private(set) var targets: [Target] = []
  /// Targets that make no check, and why: the first of them. `leftOut` has all.
  package private(set) var skipped: [String] = []
  package private(set) var leftOut = 0
  /// Labels that are left out of targets, and why: the first of them. `labelsLeftOut` has all.
  package private(set) var skippedLabels: [String] = []
  package private(set) var labelsLeftOut = 0

  private var seen: Set<Target> = []
  private static let told = 50
  private static let toldLabels = 5
  private static let longestAddress = 1024
  private static let longestLabel = 512

  package init(targets: [Target]) {
    for target in targets where seen.insert(target).inserted { self.targets.append(target) }
  }

  /// - Throws: what is wrong with the whole. A single target that cannot be one is left out.
  package init(json bytes: [UInt8]) throws(Problem) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue.parse(bytes, maxDepth: 8)
    } catch {
      throw Problem(message: "is no JSON: \(error)")
    }
    guard let groups = json.array else {
      throw Problem(message: "must be a list of groups with targets, as Prometheus reads it")
    }
    for group in groups {
      guard let addresses = group["targets"]?.array else {
        throw Problem(message: "has a group without a list of targets")
      }
      let labels = group["labels"]
      if let labels, labels.members == nil { skipLabel("labels must be a map, found \(Self.shown(labels))") }
      try add(
        addresses.map { $0.string.map(Found.text) ?? .other(Self.shown($0)) },
        (labels?.members ?? []).map { ($0.name, Self.label($0.value)) })
    }
  }

  /// - Throws: as above.
  init(yaml node: YAMLNode) throws(Problem) {
    guard case .list(let groups) = node.content else {
      throw Problem(message: "must be a list of groups with targets, as Prometheus reads it")
    }
    for group in groups {
      guard case .map(let entries) = group.content,
        case .list(let addresses)? = entries.first(where: { $0.key == "targets" })?.value.content
      else { throw Problem(message: "has a group without a list of targets") }
      var labels: [(name: String, value: Found)] = []
      let given = entries.first { $0.key == "labels" }?.value
      if case .map(let entries)? = given?.content {
        labels = entries.map { ($0.key, Self.found($0.value)) }
      } else if let given {
        skipLabel("labels must be a map, found \(given.kindText)")
      }
      try add(addresses.map(Self.found), labels)
    }
  }

  /// Single values are labels as their text: Prometheus reads YAML so.
  private static func label(_ value: JSONValue) -> Found {
    switch value {
    case .string(let text), .number(let text): .text(text)
    case .bool(let flag): .text(flag.description)
    default: .other(shown(value))
    }
  }

  private static func shown(_ value: JSONValue) -> String {
    if value.array != nil { return "a list" }
    if value.members != nil { return "a map" }
    return value.text.printable(maxBytes: 80)
  }

  private static func found(_ node: YAMLNode) -> Found {
    guard case .scalar(let text, _) = node.content, !node.isNull else { return .other(node.kindText) }
    return .text(text)
  }

  private mutating func add(_ addresses: [Found], _ given: [(name: String, value: Found)]) throws(Problem) {
    var labels: [Label] = []
    // Names with this prefix are Prometheus' own.
    for (name, value) in given where !name.hasPrefix("__") {
      switch value {
      case .text(let text) where [name, text].allSatisfy({ Self.isPlain($0, Self.longestLabel) }):
        labels.append(Label(name: name, value: text))
      case .text: skipLabel("the label \(quoted(name)) holds what no label of a check may")
      case .other(let words): skipLabel("the label \(quoted(name)) must be a text, found \(words)")
      }
    }
    for found in addresses {
      guard case .text(let address) = found else {
        if case .other(let words) = found { skip("\(words) is no host, host:port or URL") }
        continue
      }
      guard let target = Self.target(address, labels) else {
        skip("\(quoted(address)) is no host, host:port or URL")
        continue
      }
      guard seen.insert(target).inserted else { continue }
      guard targets.count < DiscoverySource.mostTargets else {
        throw Problem(message: "has more than \(DiscoverySource.mostTargets) targets")
      }
      targets.append(target)
    }
  }

  private mutating func skip(_ words: String) {
    leftOut += 1
    if skipped.count < Self.told { skipped.append(words) }
  }

  private mutating func skipLabel(_ words: String) {
    labelsLeftOut += 1
    if skippedLabels.count < Self.toldLabels { skippedLabels.append(words) }
  }

  /// In words, the targets first; those beyond the limits as numbers.
  package var omissions: [String] {
    let (targets, labels) = (leftOut - skipped.count, labelsLeftOut - skippedLabels.count)
    return skipped + Self.more(targets, "target") + skippedLabels + Self.more(labels, "label")
  }

  private static func more(_ count: Int, _ one: String) -> [String] {
    count > 0 ? ["\(counted(count, "more \(one)")) left out"] : []
  }

  /// Nothing that means something where it is put in: a reference to a secret begins with `$`.
  private static func isPlain(_ text: String, _ most: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= most && !text.utf8.contains(UInt8(ascii: "$"))
      && !text.hasControlCharacter
  }

  private static func target(_ address: String, _ labels: [Label]) -> Target? {
    guard isPlain(address, longestAddress), address.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    if address.contains("://") {
      guard let url = try? HTTPURL(address) else { return nil }
      return Target(address: address, host: url.host, port: url.port, labels: labels)
    }
    // What can be a host is the same for every type of check.
    guard let host = Endpoint(address, defaultPort: 1)?.host,
      (try? HTTPURL("http://\(Endpoint(host: host, port: 1))/")) != nil
    else { return nil }
    let port = Endpoint(address, defaultPort: nil)?.port
    return Target(address: address, host: host, port: port, labels: labels)
  }

  /// As a file of it.
  package var json: [UInt8] {
    var writer = JSONWriter(reserving: 64 + targets.count * 64)
    writer.array { writer in
      for target in targets {
        writer.object { writer in
          writer.key("targets")
          writer.array { $0.string(target.address) }
          guard !target.labels.isEmpty else { return }
          writer.key("labels")
          writer.object { writer in
            for label in target.labels {
              writer.key(dynamic: label.name)
              writer.string(label.value)
            }
          }
        }
      }
    }
    return writer.bytes
  }
}
