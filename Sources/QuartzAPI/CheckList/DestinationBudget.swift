// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Limits the destinations of checks from the API. A list that names more is a scan, whatever its author: running
/// checks go on, the excess is refused.
///
/// Destinations in use come first, whatever their ids, so that a flood of new ones displaces nothing. New ones join
/// in the order of the checks' ids.
package struct DestinationBudget: Hashable, Sendable {
  package struct Limits: Hashable, Sendable {
    /// `limits.destinations`: different hosts at most.
    package var hosts = 500
    package var portsPerHost = 8
    /// Hosts that may join in any hour after the first list.
    package var newHostsPerHour = 50

    package init() {}
  }

  /// Where a check goes: the host as written, and the port.
  package struct Destination: Hashable, Sendable {
    package var host: String
    /// `nil` for no port, as ping has none.
    package var port: UInt16?

    package init(host: String, port: UInt16?) {
      self.host = host
      self.port = port
    }
  }

  private let limits: Limits
  private var ports: [ByteText: Set<UInt16>] = [:]
  private var arrivals: [Timestamp] = []
  private var hasList = false

  package init(limits: Limits = Limits()) { self.limits = limits }

  /// Judges a list as a whole.
  ///
  /// - Parameter wanted: one for each check, in the order of the checks' ids.
  /// - Returns: in the same order, why a check must wait; `nil` when it may run.
  package mutating func judge(_ wanted: [Destination], at now: Timestamp) -> [String?] {
    arrivals.removeAll { $0.advanced(by: .seconds(3600)) <= now }
    let before = ports
    ports = [:]
    for destination in wanted where before[ByteText(destination.host)] != nil {
      keep(destination, known: before)
    }
    let refusals = wanted.map { admit($0, at: now) }
    hasList = true
    return refusals
  }

  /// A port that was in use stays in use.
  private mutating func keep(_ destination: Destination, known: [ByteText: Set<UInt16>]) {
    var open = ports[ByteText(destination.host)] ?? []
    if let port = destination.port, known[ByteText(destination.host)]?.contains(port) == true {
      open.insert(port)
    }
    ports[ByteText(destination.host)] = open
  }

  private mutating func admit(_ destination: Destination, at now: Timestamp) -> String? {
    let host = ByteText(destination.host)
    if ports[host] == nil {
      if ports.count >= limits.hosts {
        return "over the limit of \(limits.hosts) destinations (limits.destinations)"
      }
      if hasList {
        if arrivals.count >= limits.newHostsPerHour {
          return
            "more than \(limits.newHostsPerHour) new destinations within an hour; it joins at a later pull"
        }
        arrivals.append(now)
      }
      ports[host] = []
    }
    guard let port = destination.port, ports[host]?.contains(port) == false else { return nil }
    if ports[host]?.count ?? 0 >= limits.portsPerHost {
      return "over the limit of \(limits.portsPerHost) ports at one destination"
    }
    ports[host]?.insert(port)
    return nil
  }
}

extension CheckKind {
  /// Where the check's first connection goes; nil: to this machine's own name server.
  var destination: DestinationBudget.Destination? {
    switch self {
    case .http(let http): .init(host: http.url.host, port: http.url.port)
    case .tcp(let tcp): .init(host: tcp.host, port: tcp.port)
    case .tls(let tls): .init(host: tls.host, port: tls.port)
    case .dns(let dns): dns.server.map { .init(host: $0.host, port: $0.port) }
    case .ping(let ping): .init(host: ping.host, port: nil)
    // Goes nowhere, and does not come from the API.
    case .heartbeat: nil
    }
  }
}
