// SPDX-License-Identifier: MIT

import Basics

/// Hosts and services that are defined more than once. Of a service on a host one definition counts: one that names the host
/// before one by a hostgroup, and otherwise the last, as it does of a host.
struct NagiosDefinitions {
  /// Hosts of a service.
  struct Hosts {
    var known: [String] = []
    var unknown: [String] = []
    /// Hosts on which another definition of the same kind does not count.
    var twice: Set<ByteText> = []
    /// Whether other definitions count on hosts that it has.
    var isReplaced = false
  }

  private struct Place: Hashable {
    var host: ByteText
    var service: ByteText
  }

  private struct Choice {
    var object: Int
    var isNamed: Bool
    var isTwice = false
  }

  /// By the places of the objects.
  private var services: [Int: Hosts] = [:]
  private var hosts: [ByteText: Int] = [:]

  init(_ objects: [NagiosObject], _ book: NagiosBook, _ ledger: Ledger) throws(ImportProblem) {
    var choices: [Place: Choice] = [:]
    var descriptions: [Int: ByteText] = [:]
    for (index, object) in objects.enumerated() where object.isReal {
      if object.kind == "host", let name = object.node["host_name"]?.text { hosts[ByteText(name)] = index }
      guard object.kind == "service" else { continue }
      let found = try book.hosts(of: object)
      let weight = ForeignWeight(object.node)
      try ledger.count(
        found.known.count, sharing: weight, of: "the service that ends at line \(object.node.line)")
      services[index] = Hosts(known: found.known, unknown: found.unknown)
      guard let words = try book.value("service_description", of: object)?.text else { continue }
      descriptions[index] = ByteText(words)
      for host in found.known.map({ ByteText($0) }) {
        let place = Place(host: host, service: ByteText(words))
        let isNamed = found.named.contains(host)
        guard let other = choices[place] else {
          choices[place] = Choice(object: index, isNamed: isNamed)
          continue
        }
        guard isNamed || !other.isNamed else { continue }
        choices[place] = Choice(object: index, isNamed: isNamed, isTwice: isNamed == other.isNamed)
      }
    }
    for (index, words) in descriptions {
      guard let known = services[index]?.known else { continue }
      let counted = known.filter { choices[Place(host: ByteText($0), service: words)]?.object == index }
      services[index]?.known = counted
      services[index]?.isReplaced = counted.count < known.count
      let twice = counted.map { ByteText($0) }.filter {
        choices[Place(host: $0, service: words)]?.isTwice == true
      }
      services[index]?.twice = Set(twice)
    }
  }

  /// Hosts of the service at this place among the objects.
  func hosts(of service: Int) -> Hosts { services[service] ?? Hosts() }

  /// Whether another definition of the host at this place counts.
  func isReplaced(_ index: Int, _ host: NagiosObject) -> Bool {
    guard let name = host.node["host_name"]?.text else { return false }
    return hosts[ByteText(name)] != index
  }
}
