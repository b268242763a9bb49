// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Class of an address, by the IANA special-purpose registries (RFC 6890) and the cloud platforms' documentation.
package enum AddressClass: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  case `public`
  case reserved, multicast
  /// RFC 1918, shared address space (RFC 6598), unique local (RFC 4193).
  case `private`
  case linkLocal = "link-local"
  /// Where clouds hand credentials to any client inside.
  case metadata
  /// `0.0.0.0/8` and `::`; connecting to them reaches this machine.
  case unspecified
  case loopback

  package var description: String { rawValue }

  package var withArticle: String { (self == .unspecified ? "an " : "a ") + rawValue }

  /// How close to the agent: a redirect may not lead to a higher rank.
  package var privacyRank: Int {
    switch self {
    case .public: 0
    case .reserved, .multicast: 1
    case .private: 2
    case .linkLocal: 3
    case .metadata: 4
    case .unspecified, .loopback: 5
    }
  }
}

extension IPAddress {
  /// The class of the address itself, whatever it may carry inside (see `reached`).
  package var addressClass: AddressClass {
    if Self.metadata.contains(self) { return .metadata }
    switch self {
    case .v4(let bits): return classOfV4(bits)
    case .v6(let high, let low): return classOfV6(high, low)
    }
  }

  /// The most private class among the addresses a connection may end at.
  package var effectiveClass: AddressClass {
    reached.map(\.addressClass).max { $0.privacyRank < $1.privacyRank } ?? .reserved
  }

  /// The IPv4 addresses written inside an IPv6 address; a translator, a tunnel or the kernel itself unpacks them.
  package var embedded: [IPAddress] { (wrapped ?? []) + isatap }

  /// Addresses that a connection to this address may end at: the embedded one, and the address itself unless its prefix
  /// means nothing but "IPv4 inside".
  package var reached: [IPAddress] {
    if case .v4 = self { return [self] }
    return (wrapped ?? [self]) + isatap
  }

  /// `nil` unless the prefix says that the address stands for IPv4.
  private var wrapped: [IPAddress]? {
    guard case .v6(let high, let low) = self else { return nil }
    let lower = UInt32(truncatingIfNeeded: low)
    if high == 0 {
      // Compatible and mapped (RFC 4291 2.5.5), translated (RFC 2765). `::` and `::1` are what they are.
      let isWrapper = low >> 32 == 0 ? low > 1 : low >> 32 == 0xffff || low >> 32 == 0xffff_0000
      return isWrapper ? [.v4(lower)] : nil
    }
    // NAT64, RFC 6052 and RFC 8215.
    if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return [.v4(lower)] }
    if high >> 16 == 0x0064_ff9b_0001 { return localNAT64(high, low) }
    // 6to4, RFC 3056.
    if high >> 48 == 0x2002 { return [.v4(UInt32(truncatingIfNeeded: high >> 16))] }
    // Teredo, RFC 4380: the server in clear, the client with its bits inverted.
    if high >> 32 == 0x2001_0000 { return [.v4(UInt32(truncatingIfNeeded: high)), .v4(~lower)] }
    return nil
  }

  /// RFC 5214: any prefix may be followed by an interface identifier that carries IPv4.
  private var isatap: [IPAddress] {
    guard case .v6(_, let low) = self, low >> 32 & 0xfdff_ffff == 0x0000_5efe else { return [] }
    return [.v4(UInt32(truncatingIfNeeded: low))]
  }

  /// Outside of link-local or not, these are never just link-local: each has handed out credentials or tokens.
  private static let metadata: Set<IPAddress> = Set(
    [
      "169.254.169.254",  // AWS, Azure, Google, Oracle, DigitalOcean and most others
      "169.254.170.2", "169.254.170.23",  // AWS container credentials (ECS, EKS)
      "169.254.0.23",  // Tencent
      "169.254.42.42",  // Scaleway
      "168.63.129.16",  // Azure platform channel
      "100.100.100.200",  // Alibaba
      "192.0.0.192",  // Oracle classic
      "fd00:ec2::254", "fd00:ec2::23",  // AWS
      "fd20:ce::254",  // Google
      "fd00:42::42",  // Scaleway
      "fe80::a9fe:a9fe",  // OpenStack
    ].compactMap { IPAddress($0) })
}

extension CIDR {
  /// True when the range holds loopback addresses and nothing else.
  var isLoopback: Bool {
    switch base {
    case .v4(let bits): bits >> 24 == 127 && prefix >= 8
    case .v6(let high, let low): high == 0 && low == 1 && prefix == 128
    }
  }
}

private func classOfV4(_ bits: UInt32) -> AddressClass {
  switch bits {
  case 0x0000_0000...0x00ff_ffff: .unspecified
  case 0x7f00_0000...0x7fff_ffff: .loopback
  case 0xa9fe_0000...0xa9fe_ffff: .linkLocal
  case 0x0a00_0000...0x0aff_ffff, 0xac10_0000...0xac1f_ffff, 0xc0a8_0000...0xc0a8_ffff: .private
  case 0x6440_0000...0x647f_ffff: .private  // 100.64/10, shared
  case 0xc000_0000...0xc000_00ff: .reserved  // 192.0.0/24, protocol assignments
  // Documentation.
  case 0xc000_0200...0xc000_02ff, 0xc633_6400...0xc633_64ff, 0xcb00_7100...0xcb00_71ff: .reserved
  case 0xc058_6300...0xc058_63ff: .reserved  // 192.88.99/24, former 6to4 relays
  case 0xc612_0000...0xc613_ffff: .reserved  // 198.18/15, benchmarks
  case 0xe000_0000...0xefff_ffff: .multicast
  case 0xf000_0000...0xffff_ffff: .reserved  // 240/4 and broadcast
  default: .public
  }
}

private func classOfV6(_ high: UInt64, _ low: UInt64) -> AddressClass {
  if high == 0 {
    switch low {
    case 0: return .unspecified
    case 1: return .loopback
    default: return .reserved
    }
  }
  if high >> 56 == 0xff { return .multicast }
  if high >> 57 == 0xfc >> 1 { return .private }
  if high >> 54 == 0xfe80 >> 6 { return .linkLocal }
  // Site-local: deprecated by RFC 3879, still routed by some.
  if high >> 54 == 0xfec0 >> 6 { return .private }
  // Public unicast is allocated from 2000::/3 only; what is special inside it comes out.
  guard high >> 61 == 0b001 else { return .reserved }
  let isSpecial =
    high >> 41 == 0x2001_0000 >> 9  // 2001::/23, protocol assignments
    || high >> 32 == 0x2001_0db8  // documentation
    || high >> 44 == 0x3fff0  // documentation, RFC 9637
  return isSpecial ? .reserved : .public
}

/// `64:ff9b:1::/48` (RFC 8215) does not say which prefix length is in use inside it, and with it where the IPv4
/// address stands (RFC 6052 2.2): every reading must be permitted. Bits 64 to 71 are skipped by all of them.
private func localNAT64(_ high: UInt64, _ low: UInt64) -> [IPAddress] {
  let length48 = (high & 0xffff) << 16 | (low >> 40) & 0xffff
  let length56 = (high & 0xff) << 24 | (low >> 32) & 0xff_ffff
  let length64 = low >> 24
  return [length48, length56, length64, low].map { .v4(UInt32(truncatingIfNeeded: $0)) }
}
