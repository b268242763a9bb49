// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// The agent's own places on the network, at which a stranger's check must not be aimed: what it listens on, and the
/// API it serves.
package final class OwnPlaces: Sendable {
  private struct State {
    var apiAddresses: Set<SocketAddress> = []
    var interfaces: Set<IPAddress> = []
    var lookedAt: Instant?
  }

  private let ports: Set<UInt16>
  private let api: Endpoint?
  private let readInterfaces: @Sendable () -> Set<IPAddress>
  private let state = Mutex(State())

  /// How old the list of this machine's addresses may be.
  private static let freshness = Duration.seconds(5)

  /// - Parameters:
  ///   - ports: those the agent listens on.
  ///   - api: host and port of the API; `nil` when there is none.
  package init(
    ports: Set<UInt16> = [], api: Endpoint? = nil,
    interfaces: @escaping @Sendable () -> Set<IPAddress> = interfaceAddresses
  ) {
    self.ports = ports
    self.api = api.map { Endpoint(host: plainHost($0.host), port: $0.port) }
    readInterfaces = interfaces
  }

  /// Notes the addresses of the API's name.
  package func noteAPI(_ addresses: [IPAddress]) {
    guard let api else { return }
    state.withLock { $0.apiAddresses = Set(addresses.map { SocketAddress($0, port: api.port) }) }
  }

  /// Why an address of this port must not be dialled. `nil` where it is none of our endpoints.
  ///
  /// - Parameter host: as the check or the redirect writes it.
  ///
  /// The API is known by its name. Its address alone counts where the check names that address itself, and where it
  /// is no public one: in public many hosts share an address with it.
  func refusal(of address: IPAddress, port: UInt16, host: String?) -> String? {
    if let api, port == api.port {
      if let host, plainHost(host) == api.host { return "is the API itself, closed to checks from the API" }
      let isAPI = state.withLock { $0.apiAddresses.contains(SocketAddress(address, port: port)) }
      let isNamed = host.flatMap { IPAddress($0) } != nil
      if isAPI, isNamed || address.effectiveClass != .public {
        return "is an address of the API itself, closed to checks from the API"
      }
    }
    if ports.contains(port), isOurs(address) { return "is the agent itself, closed to checks from the API" }
    return nil
  }

  private func isOurs(_ address: IPAddress) -> Bool {
    if address.addressClass == .loopback || address.addressClass == .unspecified { return true }
    let now = Instant.now
    let known = state.withLock { state in
      state.lookedAt.map { $0.duration(to: now) < Self.freshness } == true ? state.interfaces : nil
    }
    if let known { return known.contains(address) }
    let read = readInterfaces()
    state.withLock { ($0.interfaces, $0.lookedAt) = (read, now) }
    return read.contains(address)
  }
}

extension OwnPlaces: Hashable {
  package static func == (one: OwnPlaces, other: OwnPlaces) -> Bool { one === other }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The addresses of this machine's interfaces, in the network namespace of the calling thread.
package func interfaceAddresses() -> Set<IPAddress> {
  var first: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&first) == 0 else { return [] }
  defer { freeifaddrs(first) }
  var found: Set<IPAddress> = []
  var entry = first
  while let current = entry {
    entry = current.pointee.ifa_next
    guard let raw = current.pointee.ifa_addr else { continue }
    var storage = sockaddr_storage()
    let size =
      switch Int32(raw.pointee.sa_family) {
      case AF_INET: MemoryLayout<sockaddr_in>.size
      case AF_INET6: MemoryLayout<sockaddr_in6>.size
      default: 0
      }
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: size))
    }
    if size > 0, let address = SocketAddress(storage)?.address { found.insert(address) }
  }
  return found
}
