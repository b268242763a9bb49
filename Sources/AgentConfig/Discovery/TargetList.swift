// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Targets in the form that Prometheus reads from files and over HTTP (file_sd_configs, http_sd_configs): a list of
/// `{"targets": ["host:port"], "labels": {"name": "value"}}`, as JSON or YAML.
package struct TargetList: Hashable, Sendable {
  package struct Target: Hashable, Sendable {
    /// As it stands there: a host, host:port, or a URL.
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

  package struct Problem: Error, Hashable, Sendable { package var message: String }

  /// Each address once; the first counts.
  package private(set) var targets: [Target] = []
  /// Targets that make no check, and why: the first of them.
  package private(set) var skipped: [String] = []
  package private(set) var skippedCount = 0

  private var seen: Set<ByteText> = []
  private static let told = 5
  private static let longestAddress = 1024
  private static let longestLabel = 512

  package init(targets: [Target]) {
    for target in targets where seen.insert(ByteText(target.address)).inserted { self.targets.append(target) }
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
      let labels = (group["labels"]?.members ?? []).compactMap { member in
        member.value.string.map { Label(name: member.name, value: $0) }
      }
      try add(addresses.map { $0.string ?? "" }, labels)
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
      var labels: [Label] = []
      if case .map(let given)? = entries.first(where: { $0.key == "labels" })?.value.content {
        labels = given.compactMap { entry in
          if case .scalar(let text, _) = entry.value.content {
            Label(name: entry.key, value: text)
          } else {
            nil
          }
        }
      }
      let texts = addresses.map { node in
        if case .scalar(let text, _) = node.content { text } else { "" }
      }
      try add(texts, labels)
    }
  }

  private mutating func add(_ addresses: [String], _ given: [Label]) throws(Problem) {
    // What begins so is Prometheus' own.
    let labels = given.filter { label in
      guard !label.name.hasPrefix("__") else { return false }
      let isFine = Self.isPlain(label.name, Self.longestLabel) && Self.isPlain(label.value, Self.longestLabel)
      if !isFine { skip("the label \(quoted(label.name)) holds what no label of a check may") }
      return isFine
    }
    for address in addresses {
      guard let target = Self.target(address, labels) else {
        skip("\(quoted(address)) is no host, host:port or URL")
        continue
      }
      guard seen.insert(ByteText(address)).inserted else { continue }
      guard targets.count < DiscoverySource.mostTargets else {
        throw Problem(message: "has more than \(DiscoverySource.mostTargets) targets")
      }
      targets.append(target)
    }
  }

  private mutating func skip(_ words: String) {
    skippedCount += 1
    if skipped.count < Self.told { skipped.append(words) }
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
