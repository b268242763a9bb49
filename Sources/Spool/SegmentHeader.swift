// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The first 64 bytes of a segment:
///
///     0 magic "QSEG"  4 format version (16 bit)  6 log (0 results, 1 quarantine)  7 zero
///     8 identity of the store  24 nonce of the run  32 base sequence  40 generation  44 segment size
///    48 created at (µs)  56 zero  60 CRC32C of 0..<60
///
/// The base and the generation are also in the file's name, and every record says its own sequence, so a damaged
/// header costs no record.
struct SegmentHeader: Hashable, Sendable {
  static let magic: UInt32 = 0x4745_5351
  static let version: UInt16 = 1
  static let size = 64

  var version = SegmentHeader.version
  var log: SegmentName.Log
  var identity: UniqueID
  var nonce: UInt64
  var base: UInt64
  var generation: UInt32
  var segmentSize: UInt32
  var createdAt: Timestamp

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: SegmentHeader.magic)
    bytes.append(littleEndian: version)
    bytes.append(log.rawValue)
    bytes.append(0)
    bytes.append(contentsOf: identity.bytes)
    bytes.append(littleEndian: nonce)
    bytes.append(littleEndian: base)
    bytes.append(littleEndian: generation)
    bytes.append(littleEndian: segmentSize)
    bytes.append(littleEndian: createdAt.microseconds)
    bytes.append(littleEndian: UInt32(0))  // bounded: a constant
    bytes.append(littleEndian: CRC32C.checksum(bytes))
    return bytes
  }

  init(
    log: SegmentName.Log, identity: UniqueID, nonce: UInt64, base: UInt64, generation: UInt32,
    segmentSize: UInt32,
    createdAt: Timestamp
  ) {
    self.log = log
    self.identity = identity
    self.nonce = nonce
    self.base = base
    self.generation = generation
    self.segmentSize = segmentSize
    self.createdAt = createdAt
  }

  /// `nil` when damaged. A version other than ours is returned: what follows the version is then not to be trusted.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= SegmentHeader.size, bytes.integer(UInt32.self, at: 0) == SegmentHeader.magic,
      bytes.integer(UInt32.self, at: 60) == CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[0..<60])),
      let log = SegmentName.Log(rawValue: bytes[6]), let identity = UniqueID(bytes: bytes[8..<24])
    else { return nil }
    self.version = bytes.integer(UInt16.self, at: 4)
    self.log = log
    self.identity = identity
    self.nonce = bytes.integer(UInt64.self, at: 24)
    self.base = bytes.integer(UInt64.self, at: 32)
    self.generation = bytes.integer(UInt32.self, at: 40)
    self.segmentSize = bytes.integer(UInt32.self, at: 44)
    self.createdAt = Timestamp(microseconds: bytes.integer(Int64.self, at: 48))
  }
}

/// `results-00000000000003e9-00000007.seg`: log, base sequence, generation, both hexadecimal.
///
/// The generation counts segments as they are made. Where the ranges of two segments overlap (a segment whose sync
/// failed was written again; small ones were joined at a start) the later generation holds.
struct SegmentName: Hashable, Sendable {
  enum Log: UInt8, Sendable, CaseIterable {
    case results = 0
    case quarantine = 1

    var prefix: String {
      switch self {
      case .results: "results"
      case .quarantine: "quarantine"
      }
    }
  }

  var log: Log
  var base: UInt64
  var generation: UInt32

  /// No ring comes near it; a higher number leaves no room to count on from.
  static let generationLimit: UInt32 = 1 << 31

  var text: String {
    "\(log.prefix)-\(Base16.text(base, width: 16))-\(Base16.text(generation, width: 8)).seg"
  }

  init(log: Log, base: UInt64, generation: UInt32) {
    self.log = log
    self.base = base
    self.generation = generation
  }

  init?(_ text: String) {
    guard text.hasSuffix(".seg") else { return nil }
    let parts = text.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let log = Log.allCases.first(where: { $0.prefix == parts[0] }),
      parts[1].utf8.count == 16, let base = UInt64(parts[1], radix: 16), base < RecordFrame.sequenceLimit,
      parts[2].utf8.count == 8, let generation = UInt32(parts[2], radix: 16),
      generation <= Self.generationLimit
    else { return nil }
    self.init(log: log, base: base, generation: generation)
    guard self.text == text else { return nil }
  }

  /// `results-spare-00000001.seg`: reserved space without content.
  static func spare(_ log: Log, _ number: UInt32) -> String {
    "\(log.prefix)-spare-\(Base16.text(number, width: 8)).seg"
  }

  static func spareNumber(_ text: String, _ log: Log) -> UInt32? {
    // bounded: constants, and digits of a text: what is no number is nil
    let prefix = "\(log.prefix)-spare-"
    guard text.hasPrefix(prefix), text.hasSuffix(".seg") else { return nil }
    let digits = text.dropFirst(prefix.count).dropLast(4)
    guard digits.utf8.count == 8 else { return nil }
    return UInt32(digits, radix: 16)
  }

  /// Whether the ring can count on from the number of a reserve.
  static func isCounted(_ spareNumber: UInt32) -> Bool { spareNumber <= generationLimit }
}
