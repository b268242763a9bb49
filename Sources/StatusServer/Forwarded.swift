// SPDX-License-Identifier: MIT

import Basics
import NIOHTTP1

// Requests that a reverse proxy passed on: their peer is the proxy, so the peer's address says nothing about the client.
extension StatusRequest {
  /// Address that counts for limits and the log. A nearby peer is believed to be a proxy of the operator's own, which
  /// appends its client's address; any other could write whatever it likes.
  var client: IPAddress? {
    guard isForwarded, remote?.isNearby ?? true else { return remote }
    return forwardedFor ?? remote
  }

  /// Origin of the peer that names its client, where it is another machine: it may be any client of a private network, and not a
  /// proxy of the operator's.
  var relay: String? {
    guard isForwarded, let remote, let client, client != remote, !remote.isLoopback else { return nil }
    return remote.origin.isLoopback ? nil : remote.origin.description
  }

  /// For the log, and as the origin of wrong tokens.
  var clientWords: String { client?.description ?? "socket" }

  /// Whether a proxy has added any of the headers that proxies add.
  static func isForwarded(_ headers: HTTPHeaders) -> Bool {
    headers.contains { name, _ in
      let name = name.lowercased()
      return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
    }
  }

  /// The last entry, which the nearest proxy has written: earlier ones are the client's own words. `nil` without such a
  /// header, and where the entry is no address.
  static func forwardedFor(_ headers: HTTPHeaders) -> IPAddress? {
    if let last = lastItem(headers["x-forwarded-for"]) { return address(last) }
    if let last = lastItem(headers["forwarded"]) {
      for pair in last.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, trimmed(parts[0]).lowercased() == "for" else { continue }
        return address(trimmed(parts[1]).filter { $0 != "\"" })
      }
      return nil
    }
    return headers.first(name: "x-real-ip").flatMap { address(trimmed($0[...])) }
  }

  private static func lastItem(_ values: [String]) -> String? {
    values.last?.split(separator: ",", omittingEmptySubsequences: false).last.map(trimmed)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }

  /// Of `address`, `address:port` (IPv4), `[address]` and `[address]:port`.
  private static func address(_ text: String) -> IPAddress? {
    if let address = IPAddress(text) { return address }
    if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
      return IPAddress(text[..<close].dropFirst())
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? IPAddress(parts[0]) : nil
  }
}

extension IPAddress {
  /// This machine, or a private network (RFC 1918, RFC 4193).
  fileprivate var isNearby: Bool {
    isLoopback || origin.isLoopback || Self.near.contains { $0.contains(origin) }
  }

  private static let near = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].compactMap {
    CIDR($0)
  }
}
