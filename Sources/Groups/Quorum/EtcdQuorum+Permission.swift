// SPDX-License-Identifier: MIT

import Basics

extension EtcdQuorum {
  /// Why this agent could not tell the places anything, or read what they say; nil: it could both. Nothing is written.
  package func obstacle() async -> StoreTrouble? {
    let key = root + "doctor"
    let body = EtcdBody.object { json in
      // No key is of this revision. Etcd asks whether the user may all the same.
      EtcdBody.compare(&json, key, .changed(.max))
      json.key("success")
      json.array { json in json.object { EtcdBody.put(&$0, key, []) } }
    }
    if case .failure(let trouble) = await client.result("v3/kv/txn", body, { StoreMark($0) }) {
      return trouble
    }
    if case .failure(let trouble) = await audit() { return trouble }
    return nil
  }
}
