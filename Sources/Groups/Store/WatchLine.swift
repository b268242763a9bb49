// SPDX-License-Identifier: MIT

import Basics

/// Keys from `start` on and before `end`.
struct KeySpan: Hashable, Sendable {
  var start: [UInt8]
  var end: [UInt8]

  init(from start: [UInt8], to end: [UInt8]) { (self.start, self.end) = (start, end) }
  init(below prefix: String) { self.init(from: Array(prefix.utf8), to: EtcdKeys.end(of: prefix)) }
}

/// One change of a key.
struct EtcdEvent: Hashable, Sendable {
  var pair: EtcdPair
  var isGone = false

  init(_ pair: EtcdPair, isGone: Bool = false) { (self.pair, self.isGone) = (pair, isGone) }

  /// `nil` for what no etcd says: each change has a revision.
  init?(_ json: JSONValue) {
    guard let pair = json["kv"].flatMap({ EtcdPair($0) }), pair.changed > 0 else { return nil }
    self.init(pair, isGone: json["type"]?.string == "DELETE")
  }
}

/// Meaning of one line of the watch: a JSON object of the gateway.
enum WatchLine: Hashable, Sendable {
  /// The watch of one reader has begun.
  case begun(reader: Int64, cluster: UInt64)
  /// The next reader that has not begun is refused: etcd answers requests in their order, and does not name it.
  case refused(StoreTrouble)
  /// Changes for one reader, in their order.
  case changes(reader: Int64, [EtcdEvent], cluster: UInt64)
  /// The end for one reader.
  case ended(reader: Int64, WatchEnd)
  /// The end for all readers.
  case broken(StoreTrouble)

  init(_ line: [UInt8]) {
    guard let json = try? JSONValue.parse(line, maxDepth: StoreBounds.depth) else {
      self = .broken(StoreTrouble(.garbled, "a line of the watch is no JSON"))
      return
    }
    guard let result = json["result"], let header = StoreMark(result),
      let reader = result.etcdNumber("watch_id")
    else {
      self = .broken(EtcdFailure(status: 0, json["error"], at: "etcd's watch").trouble)
      return
    }
    let isCreated = result["created"]?.bool == true
    switch (isCreated, result["canceled"]?.bool == true ? Self.end(result) : nil) {
    case (true, .trouble(let trouble)?): self = .refused(trouble)
    case (_, let end?): self = .ended(reader: reader, end)
    case (true, nil): self = .begun(reader: reader, cluster: header.cluster)
    case (false, nil): self = Self.changes(result, of: reader, cluster: header.cluster)
    }
  }

  private static func changes(_ result: JSONValue, of reader: Int64, cluster: UInt64) -> WatchLine {
    var events: [EtcdEvent] = []
    for row in result["events"]?.array ?? [] {
      guard let event = EtcdEvent(row) else {
        return .broken(StoreTrouble(.garbled, "an event of the watch is not understood"))
      }
      events.append(event)
    }
    // Not the header's revision: it is the store's, and what lies between may still be on its way.
    return .changes(reader: reader, events, cluster: cluster)
  }

  private static func end(_ result: JSONValue) -> WatchEnd {
    guard result.etcdNumber("compact_revision") ?? 0 <= 0 else { return .compacted }
    let words = (result["cancel_reason"]?.string ?? "no reason given").printable(maxBytes: 200)
    // Etcd has words here and no codes.
    let kind: StoreTrouble.Kind =
      words.contains("permission denied")
      ? .denied : words.contains("auth token") || words.contains("user name") ? .unauthenticated : .noQuorum
    return .trouble(StoreTrouble(kind, "etcd ended the watch: \(words)"))
  }
}

extension EtcdBody {
  /// All changes of some keys after a revision, told with the reader's number.
  static func watch(_ span: KeySpan, after revision: Int64, reader: Int64) -> [UInt8] {
    object { json in
      json.key("create_request")
      json.object { json in
        range(&json, span.start, end: span.end)
        json.field("start_revision", String(revision.bounded(plus: 1)))
        json.field("watch_id", String(reader))
      }
    }
  }
}
