// SPDX-License-Identifier: MIT

import Basics
import COpenSSL

/// The cost of verifying a chain, computed before it is done: OpenSSL cannot be stopped on the way, the engine's and
/// the reactor's thread wait for it, and the server chooses the keys. 46 DSA keys of 10,000 bits in 64 KiB took 420 ms.
/// Pure.
///
/// In nanoseconds of a core of 2023, rounded up (docs/evidence/libraries.md has what was measured). Honest chains cost
/// less than 5 ms.
struct ChainPrice: Hashable, Sendable {
  /// Of a chain whose signatures are looked at.
  static let limit = 20_000_000
  /// Certificates between the server's own and the root at most; paths in use have up to four.
  static let depth = 16

  enum Key: Hashable, Sendable {
    /// Bits of the modulus and of the public exponent.
    case rsa(bits: Int, exponent: Int)
    case dsa(bits: Int)
    case curve(bits: Int)
    case other

    /// One signature checked with it.
    var nanoseconds: Int {
      switch self {
      // bounded: at most 257 words squared, times 16,384
      case .rsa(let bits, let exponent): 50_000 + Self.product(bits) * min(max(exponent, 0), 16_384)
      // bounded: at most 257 words squared, times 512
      case .dsa(let bits): 50_000 + Self.product(bits) * 512
      case .curve(let bits): bits <= 256 ? 200_000 : bits <= 521 ? 1_000_000 : 3_000_000
      case .other: 1_000_000
      }
    }

    /// Of two numbers with so many bits: a nanosecond for each two words.
    private static func product(_ bits: Int) -> Int {
      // bounded: at most 257 words
      let words = (min(max(bits, 0), 16_384) + 63) / 64
      return words * words
    }
  }

  /// Bytes of all certificates that were sent.
  private let size: Int
  private var keys: [Int] = []
  private var constraints = 0

  init(size: Int) { self.size = min(max(size, 0), 1 << 20) }

  /// - Parameter constraints: bytes of its list of permitted and excluded names; zero: none.
  mutating func add(_ key: Key, constraints bytes: Int = 0) {
    // bounded: sizes of at most 1 MiB
    keys.append(key.nanoseconds)
    // Each name below it is compared with each of the list, up to OpenSSL's own limit of a million. The shortest
    // name has four bytes, the shortest entry six.
    let pairs = (size / 4) * (min(max(bytes, 0), 1 << 20) / 6)
    constraints += min(pairs, 1 << 20) * 9
  }

  /// Of the longest path that can be built of it, by its dearest keys.
  var nanoseconds: Int {
    // bounded: at most 18 keys, and as many certificates as fit into 100 KiB
    keys.sorted(by: >).prefix(Self.depth + 2).reduce(constraints, +)
  }

  var isTooDear: Bool { nanoseconds > Self.limit }
}

extension ChainPrice {
  /// - Parameter size: of all of them, in bytes.
  init(_ chain: OpaquePointer?, size: Int) {
    self.init(size: size)
    for index in 0..<quartz_x509_count(chain) {
      guard let certificate = quartz_x509_at(chain, index) else { continue }
      let place = X509_get_ext_by_NID(certificate, NID_name_constraints, -1)
      let list = X509_get_ext(certificate, place).flatMap { X509_EXTENSION_get_data($0) }
      add(
        X509_get0_pubkey(certificate).map(Key.init) ?? .other,
        // bounded: OpenSSL's own length, no larger than the certificate
        constraints: list.map { Int(ASN1_STRING_length($0)) } ?? 0)
    }
  }
}

extension ChainPrice.Key {
  init(_ key: OpaquePointer) {
    // bounded: from int
    let bits = Int(EVP_PKEY_get_bits(key))
    switch EVP_PKEY_get_base_id(key) {
    // bounded: from int
    case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS: self = .rsa(bits: bits, exponent: Int(quartz_rsa_exponent_bits(key)))
    case EVP_PKEY_DSA: self = .dsa(bits: bits)
    case EVP_PKEY_EC: self = .curve(bits: bits)
    default: self = .other
    }
  }
}
