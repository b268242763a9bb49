// SPDX-License-Identifier: MIT

/// An IPv4 or IPv6 address.
package enum IPAddress: Hashable, Sendable {
  case v4(UInt32)
  case v6(high: UInt64, low: UInt64)

  package var version: Int {
    switch self {
    case .v4: 4
    case .v6: 6
    }
  }

  /// 4 or 16 bytes in network order; nil for any other count.
  package init?(bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      self = .v6(high: high, low: bytes.dropFirst(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  /// In network order.
  package var bytes: [UInt8] {
    switch self {
    case .v4(let value): (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    case .v6(let high, let low): UniqueID(high: high, low: low).bytes
    }
  }

  /// No address that a machine has and sends from: unspecified, multicast, broadcast.
  package var isNobodys: Bool {
    switch self {
    case .v4(let value): value >> 24 == 0 || value >> 28 == 0xe || value == .max
    case .v6(let high, let low): high == 0 && low == 0 || high >> 56 == 0xff
    }
  }

  /// The unit of limits per client: the address, or the network of 64 bits in which a host of IPv6 gives itself any address it
  /// likes (RFC 8981). An IPv4 address within IPv6 (RFC 4291, section 2.5.5.2) is itself.
  package var origin: IPAddress {
    switch self {
    case .v4: self
    case .v6(0, let low) where low >> 32 == 0xffff: .v4(UInt32(truncatingIfNeeded: low))
    case .v6(let high, _): isLoopback ? self : .v6(high: high, low: 0)
    }
  }

  /// An IPv6 address that means something only with the zone of a network (RFC 4291, section 2.5.6).
  package var needsZone: Bool {
    guard case .v6(let high, _) = self else { return false }
    return high >> 54 == 0xfe80 >> 6
  }

  package var isLoopback: Bool {
    switch self {
    case .v4(let value): value >> 24 == 127
    case .v6(let high, let low): high == 0 && low == 1
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// Parses four decimal octets without leading zeros, or any form of RFC 4291, section 2.2. No zone id, no brackets,
  /// no `0x7f.1`, no `2130706433`: forms on which parsers differ are refused everywhere.
  package init?(_ text: some StringProtocol) { self.init(parsing: text) }

  /// As for other texts: compiled for this type, for every probe comes by here.
  package init?(_ text: String) { self.init(parsing: text) }

  private init?(parsing text: some StringProtocol) {
    if let value = parseV4(text) {
      self = .v4(value)
    } else if let groups = parseV6(text) {
      let words = groups.map(UInt64.init)
      self = .v6(
        high: words[0] << 48 | words[1] << 32 | words[2] << 16 | words[3],
        low: words[4] << 48 | words[5] << 32 | words[6] << 16 | words[7])
    } else {
      return nil
    }
  }

  /// RFC 5952 for IPv6.
  package var description: String {
    switch self {
    case .v4(let value): v4Text(value, port: nil)
    case .v6(let high, let low): v6Text(high: high, low: low)
    }
  }

  /// `192.0.2.1:53`, `[2001:db8::1]:53`.
  package func description(port: UInt16) -> String {
    switch self {
    case .v4(let value): v4Text(value, port: port)
    case .v6: "[" + description + "]:" + String(port)
    }
  }
}

/// Every probe writes some, so it is one pass and one string.
private func v4Text(_ value: UInt32, port: UInt16?) -> String {
  String(unsafeUninitializedCapacity: 21) { buffer in
    var count = 0
    func put(_ number: UInt32) {
      var unit: UInt32 =
        number > 9999 ? 10_000 : number > 999 ? 1000 : number > 99 ? 100 : number > 9 ? 10 : 1
      while unit > 0 {
        buffer[count] = UInt8(ascii: "0") + UInt8(number / unit % 10)
        (count, unit) = (count + 1, unit / 10)
      }
    }
    func put(_ mark: Unicode.Scalar) {
      buffer[count] = UInt8(ascii: mark)
      count += 1
    }
    put(value >> 24)
    put(".")
    put(value >> 16 & 255)
    put(".")
    put(value >> 8 & 255)
    put(".")
    put(value & 255)
    if let port {
      put(":")
      put(UInt32(port))
    }
    return count
  }
}

/// Every probe of an address literal comes by here, so it is one pass over the bytes.
private func parseV4(_ text: some StringProtocol) -> UInt32? {
  var value: UInt32 = 0
  var octet: UInt32 = 0
  var digits = 0
  var dots = 0
  for byte in text.utf8 {
    switch byte {
    case 0x30...0x39:
      // A digit after a lone zero would be a leading zero.
      guard digits == 0 || octet > 0 else { return nil }
      octet = octet * 10 + UInt32(byte - 0x30)
      digits += 1
      guard octet <= 255 else { return nil }
    case UInt8(ascii: "."):
      guard digits > 0, dots < 3 else { return nil }
      value = value << 8 | octet
      (octet, digits, dots) = (0, 0, dots + 1)
    default: return nil
    }
  }
  return digits > 0 && dots == 3 ? value << 8 | octet : nil
}

private func parseV6(_ text: some StringProtocol) -> [UInt16]? {
  guard text.utf8.count <= 45, text.utf8.contains(UInt8(ascii: ":")) else { return nil }
  var sides: [[UInt16]] = [[]]
  var rest = text[...]
  if rest.hasPrefix("::") {
    sides.append([])
    rest = rest.dropFirst(2)
  }
  while !rest.isEmpty {
    let end = rest.firstIndex(of: ":") ?? rest.endIndex
    let part = rest[..<end]
    if end == rest.endIndex, let embedded = parseV4(part) {
      sides[sides.count - 1] += [UInt16(embedded >> 16), UInt16(truncatingIfNeeded: embedded)]
      return expand(sides)
    }
    guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Base16.value($0) != nil }),
      let group = UInt16(part, radix: 16)
    else { return nil }
    sides[sides.count - 1].append(group)
    if end == rest.endIndex { return expand(sides) }
    rest = rest[rest.index(after: end)...]
    if rest.first == ":" {
      guard sides.count == 1 else { return nil }
      sides.append([])
      rest = rest.dropFirst()
    } else if rest.isEmpty {
      return nil
    }
  }
  return expand(sides)
}

/// Eight groups: as written, or with the one gap of `::` filled by at least one zero.
private func expand(_ sides: [[UInt16]]) -> [UInt16]? {
  let count = sides.reduce(0) { $0 + $1.count }
  if sides.count == 1 { return count == 8 ? sides[0] : nil }
  guard count <= 7 else { return nil }
  return sides[0] + [UInt16](repeating: 0, count: 8 - count) + sides[1]
}

private func v6Text(high: UInt64, low: UInt64) -> String {
  if high == 0, low >> 32 == 0xffff {
    return "::ffff:" + IPAddress.v4(UInt32(truncatingIfNeeded: low)).description
  }
  let groups = [high, low].flatMap { word in
    (0..<4).map { UInt16(truncatingIfNeeded: word >> (48 - 16 * $0)) }
  }
  var longest = 0..<0
  var start = 0
  while start < 8 {
    var end = start
    while end < 8, groups[end] == 0 { end += 1 }
    if end - start > longest.count { longest = start..<end }
    start = max(end, start + 1)
  }
  func joined(_ range: Range<Int>) -> String {
    groups[range].map { String($0, radix: 16) }.joined(separator: ":")
  }
  // RFC 5952, section 4.2.2: a single zero group is not shortened.
  guard longest.count >= 2 else { return joined(0..<8) }
  return joined(0..<longest.lowerBound) + "::" + joined(longest.upperBound..<8)
}

/// A block of addresses in prefix notation.
package struct CIDR: Hashable, Sendable, CustomStringConvertible {
  package let base: IPAddress
  package let prefix: Int

  /// `nil` when the prefix is longer than the address.
  package init?(base: IPAddress, prefix: Int) {
    guard prefix >= 0, prefix <= (base.version == 4 ? 32 : 128) else { return nil }
    self.base = base
    self.prefix = prefix
  }

  /// `10.0.0.0/8`; a bare address is a block of one. Bits set below the prefix are refused: they are a typing error.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let base = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    var prefix = base.version == 4 ? 32 : 128
    if parts.count == 2 {
      guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        parts[1].utf8.count == 1 || parts[1].utf8.first != 0x30, let given = Int(parts[1])
      else { return nil }
      prefix = given
    }
    self.init(base: base, prefix: prefix)
    guard masked(base, prefix) == base else { return nil }
  }

  /// The block of that size that an address is in; nil when the prefix is longer than the address.
  package init?(holding address: IPAddress, prefix: Int) {
    guard prefix >= 0, prefix <= (address.version == 4 ? 32 : 128) else { return nil }
    self.init(base: masked(address, prefix), prefix: prefix)
  }

  package func contains(_ address: IPAddress) -> Bool {
    address.version == base.version && masked(address, prefix) == masked(base, prefix)
  }

  package var description: String { "\(base)/\(prefix)" }
}

private func masked(_ address: IPAddress, _ prefix: Int) -> IPAddress {
  switch address {
  case .v4(let value):
    return .v4(prefix == 0 ? 0 : value & (UInt32.max << (32 - prefix)))
  case .v6(let high, let low):
    if prefix == 0 { return .v6(high: 0, low: 0) }
    if prefix <= 64 { return .v6(high: high & (UInt64.max << (64 - prefix)), low: 0) }
    return .v6(high: high, low: low & (UInt64.max << (128 - prefix)))
  }
}

extension IPAddress {
  /// Name below which the names of the address are: in-addr.arpa (RFC 1035 3.5), or ip6.arpa (RFC 3596 2.5).
  package var reverseName: String {
    switch self {
    case .v4: bytes.reversed().map { String($0) }.joined(separator: ".") + ".in-addr.arpa"
    case .v6:
      bytes.reversed().flatMap { [String($0 & 15, radix: 16), String($0 >> 4, radix: 16)] }
        .joined(separator: ".") + ".ip6.arpa"
    }
  }
}
