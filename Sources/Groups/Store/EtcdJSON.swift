// SPDX-License-Identifier: MIT

import Basics

// What is said to the gateway, and how its answers are read: 64-bit numbers are texts there, and what is zero is left out.

extension JSONValue {
  /// A number of 64 bits, given as text or as digits; 0 where it is absent. `nil` for any other value.
  func etcdNumber(_ name: String) -> Int64? {
    guard let value = self[name] else { return 0 }
    if let text = value.string { return Int64(text) }  // bounded: digits that are no such number are nil
    return value.integer
  }

  func etcdUnsigned(_ name: String) -> UInt64? {
    guard let value = self[name] else { return 0 }
    if let text = value.string { return UInt64(text) }  // bounded: digits that are no such number are nil
    return value.integer.flatMap { UInt64(exactly: $0) }
  }

  /// Bytes that may be empty; nil: more than there may be, or no base64.
  func etcdBytes(_ name: String, limit: Int) -> [UInt8]? {
    guard let value = self[name] else { return [] }
    return value.string.flatMap { Base64.bytes($0, limit: limit) }
  }
}

/// A key with its value.
package struct EtcdPair: Hashable, Sendable {
  package var key: [UInt8]
  /// `nil` for more than `StoreBounds.value`, or no base64.
  package var value: [UInt8]?
  package var created: Int64
  package var changed: Int64
  package var lease: Int64

  init?(_ json: JSONValue) {
    // A name that no agent writes is the reader's to pass over, however long it is.
    guard let key = json.etcdBytes("key", limit: EtcdTransport.bodyLimit),
      let created = json.etcdNumber("create_revision"),
      let changed = json.etcdNumber("mod_revision"), let lease = json.etcdNumber("lease"), changed >= 0
    else { return nil }
    (self.key, self.created, self.changed, self.lease) = (key, created, changed, lease)
    value = json.etcdBytes("value", limit: StoreBounds.value)
  }

  /// The beginning of its key, for a person.
  var name: String { String(decoding: key.prefix(200), as: UTF8.self) }
}

extension StoreMark {
  /// An answer's header.
  init?(_ json: JSONValue) {
    guard let header = json["header"], let cluster = header.etcdUnsigned("cluster_id"),
      let revision = header.etcdNumber("revision"), revision >= 0
    else { return nil }
    self.init(cluster: cluster, revision: revision)
  }
}

/// Answer to a range request.
struct EtcdRange: Hashable, Sendable {
  var header: StoreMark
  var pairs: [EtcdPair]
  /// Of all keys in it, given or not.
  var count: Int

  init?(_ json: JSONValue, header: StoreMark? = nil) {
    guard let header = header ?? StoreMark(json), let count = json.etcdNumber("count"),
      (0...Int64(Int32.max)).contains(count)
    else { return nil }
    let rows = json["kvs"]?.array ?? []
    self.header = header
    // bounded: as many as are in memory
    self.count = Int(count)  // bounded: 31 bits
    pairs = rows.compactMap { EtcdPair($0) }
    guard pairs.count == rows.count else { return nil }
  }
}

/// Part of a reading: as many keys as one answer may have.
struct EtcdPage: Hashable, Sendable {
  var header: StoreMark
  var pairs: [EtcdPair]
  /// Where the next part begins. `nil` for the last one.
  var next: [UInt8]?

  init?(_ json: JSONValue, after start: [UInt8]) {
    guard let header = StoreMark(json) else { return nil }
    let rows = json["kvs"]?.array ?? []
    self.header = header
    pairs = rows.compactMap { EtcdPair($0) }
    guard pairs.count == rows.count else { return nil }
    guard json["more"]?.bool == true else { return }
    // A store that says that there is more says where, and comes to an end.
    guard let last = pairs.last?.key, !last.lexicographicallyPrecedes(start), !last.isEmpty else {
      return nil
    }
    next = last + [0]
  }
}

/// Requests of the gateway.
enum EtcdBody {
  static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(reserving: 512)
    json.object(body)
    return json.bytes
  }

  static func range(_ json: inout JSONWriter, _ start: [UInt8], end: [UInt8]? = nil) {
    json.field("key", Base64.text(start))
    if let end { json.field("range_end", Base64.text(end)) }
  }

  /// - Parameter tellsPrevious: the answer has what was there before.
  static func put(
    _ json: inout JSONWriter, _ key: String, _ value: [UInt8], lease: Int64? = nil,
    tellsPrevious: Bool = false
  ) {
    json.key("request_put")
    json.object { json in
      json.field("key", Base64.text(key.utf8))
      json.field("value", Base64.text(value))
      if let lease { json.field("lease", String(lease)) }
      if tellsPrevious { json.field("prev_kv", true) }
    }
  }

  enum Test { case created(Int64), changed(Int64), lease(Int64) }

  static func compare(_ json: inout JSONWriter, _ key: String, _ test: Test) {
    json.key("compare")
    json.array { condition(&$0, key, test) }
  }

  /// One of the conditions of `compare`.
  static func condition(_ json: inout JSONWriter, _ key: String, _ test: Test) {
    json.object { json in
      json.field("key", Base64.text(key.utf8))
      json.field("result", "EQUAL")
      switch test {
      case .created(let revision):
        json.field("target", "CREATE")
        json.field("create_revision", String(revision))
      case .changed(let revision):
        json.field("target", "MOD")
        json.field("mod_revision", String(revision))
      case .lease(let lease):
        json.field("target", "LEASE")
        json.field("lease", String(lease))
      }
    }
  }
}
