// SPDX-License-Identifier: MIT

import Basics

/// Answers that a receiver tells apart in words alone, where neither its status nor its code tells it. This is the one
/// place that reads them; `ReceiverWordsTests` holds the words of each version.
enum ReceiverWords {
  /// PostgREST's `JWT expired`, under the code of every token that it does not take.
  static func saysExpired(_ message: String) -> Bool { message.lowercased().contains("expired") }

  /// The id in PostgreSQL's `Key (monitoring_check_id)=(…) is not present in table "monitoring_checks".`
  static func missingCheck(in text: String) -> UniqueID? {
    let marker = Array("(monitoring_check_id)=(".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count >= marker.count + 36 else { return nil }  // bounded: the marker is a constant
    let last = bytes.count - marker.count - 36  // bounded: there are as many bytes, as was asked before
    for start in 0...last
    // bounded: the end is 36 bytes away at least
    where bytes[start] == marker[0] && Array(bytes[start..<start + marker.count]) == marker {
      let from = start + marker.count  // bounded: the end is 36 bytes away at least
      // bounded: the end is 36 bytes away at least
      return UniqueID(String(decoding: bytes[from..<from + 36], as: UTF8.self))
    }
    return nil
  }
}
