// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Settings of resolv.conf(5) and its two variables, as far as a resolver needs them.
package struct ResolverConfiguration: Hashable, Sendable {
  /// At most 3, in order, as glibc takes them.
  package var servers: [SocketAddress] = []
  /// At most 32, which is what Kubernetes allows; glibc has no limit since 2.26.
  package var search: [DNSName] = []
  package var ndots = 1
  /// How long one server is waited for, once.
  package var timeout = Duration.seconds(5)
  /// How often one server is asked again, and over how many of its timeouts all of them are waited for.
  package var attempts = 2
  /// `use-vc`: questions go over TCP.
  package var usesTCP = false
  /// `rotate`: each question begins with the next server.
  package var rotates = false
  /// `single-request` and `single-request-reopen`: the families are asked for one after the other.
  package var asksOneByOne = false
  /// `no-aaaa`: IPv6 addresses are not asked for.
  package var skipsAAAA = false
  /// The file has no nameserver line.
  private(set) package var namesNone = false

  package init() {}

  /// Variables of the environment that change what the file says.
  package struct Environment: Hashable, Sendable {
    /// `RES_OPTIONS`: more options, which win over those of the file.
    package var options: String?
    /// `LOCALDOMAIN`: the search list, instead of the file's.
    package var search: String?

    package init(options: String? = nil, search: String? = nil) {
      (self.options, self.search) = (options, search)
    }

    /// Those that the process was started with.
    package static let process = Environment(
      options: getenv("RES_OPTIONS").map { String(cString: $0) },
      search: getenv("LOCALDOMAIN").map { String(cString: $0) })
  }

  /// Asked where no server is named.
  private static let ownServers = [IPAddress.v4(0x7f00_0001), .v6(high: 0, low: 1)].map {
    SocketAddress($0, port: 53)
  }

  /// Reads what it understands and skips the rest, as every resolver does: a line it does not know must not cost
  /// the lines it does.
  package init(parsing text: String, environment: Environment = Environment()) {
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") && !line.hasPrefix(";") {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let key = words.first else { continue }
      let values = words.dropFirst()
      switch key {
      case "nameserver": addServer(values.first)
      // The last of these lines counts.
      case "domain": search = values.prefix(1).compactMap { DNSName($0) }
      case "search": search = Self.domains(values)
      case "options": for option in values { apply(option) }
      default: continue
      }
    }
    namesNone = servers.isEmpty
    if namesNone { servers = Self.ownServers }
    if let options = environment.options {
      for option in options.split(whereSeparator: \.isWhitespace) { apply(option) }
    }
    if let words = environment.search { search = Self.domains(words.split(whereSeparator: \.isWhitespace)) }
    // The root as a search domain is the name itself.
    search.removeAll { $0 == .root }
  }

  private static func domains(_ words: some Sequence<Substring>) -> [DNSName] {
    Array(words.compactMap { DNSName($0) }.prefix(32))
  }

  private mutating func addServer(_ word: Substring?) {
    // bounded: digits of a text: what is no number is nil
    guard let word, servers.count < 3 else { return }
    let parts = word.split(separator: "%", maxSplits: 1)
    guard let text = parts.first, let address = IPAddress(text) else { return }
    let scope = parts.count == 2 ? UInt32(parts[1]) ?? if_nametoindex(String(parts[1])) : 0
    servers.append(SocketAddress(address, port: 53, scope: scope))
  }

  /// With the caps of resolv.conf(5). `edns0` and `trust-ad` are what is done anyway.
  private mutating func apply(_ option: Substring) {
    switch option {
    case "use-vc": usesTCP = true
    case "rotate": rotates = true
    case "single-request", "single-request-reopen": asksOneByOne = true
    case "no-aaaa": skipsAAAA = true
    default: break
    }
    let parts = option.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let value = Int(parts[1]), value >= 0 else { return }
    switch parts[0] {
    case "ndots": ndots = min(value, 15)
    case "timeout": timeout = .seconds(min(max(value, 1), 30))
    case "attempts": attempts = min(max(value, 1), 5)
    default: return
    }
  }
}
