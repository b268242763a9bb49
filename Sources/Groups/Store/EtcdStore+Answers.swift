// SPDX-License-Identifier: MIT

import Basics

// What etcd's answers mean. Whatever they say, each is an answer or a trouble.
extension EtcdStore {
  private func garbled(_ what: String) -> StoreAnswer {
    .trouble(StoreTrouble(.garbled, "etcd's answer is not understood as \(what)"))
  }

  func entry(_ pair: EtcdPair, _ name: String) -> StoreReading.Entry {
    StoreReading.Entry(
      name: name, card: pair.lease == 0 ? nil : pair.value.flatMap { MemberCard(json: $0) },
      revision: pair.changed)
  }

  func granted(_ json: JSONValue) -> StoreAnswer {
    guard let lease = json.etcdNumber("ID"), lease != 0 else { return garbled("a lease") }
    return .granted(lease: lease)
  }

  func claimed(_ json: JSONValue) -> StoreAnswer {
    guard let header = StoreMark(json) else { return garbled("a claim") }
    if json["succeeded"]?.bool == true { return .claimed(revision: header.revision) }
    guard let row = json["responses"]?[0]?["response_range"],
      let range = EtcdRange(row, header: header)
    else { return garbled("a claim") }
    // Gone again meanwhile: the next claim finds it free.
    guard let pair = range.pairs.first else { return .lost }
    return .occupied(entry(pair, name))
  }

  func reading(_ json: JSONValue) -> StoreAnswer {
    // No etcd has a revision of 0, and one that has cards least of all.
    guard let range = EtcdRange(json), range.header.revision > 0 else { return garbled("a range") }
    var reading = StoreReading(cluster: range.header.cluster, revision: range.header.revision, members: [])
    for pair in range.pairs {
      if let name = keys.name(of: pair.key) {
        reading.members.append(entry(pair, name))
      } else if pair.key == Array(keys.head.utf8) {
        reading.head = pair.value.flatMap { ListHead(json: $0, revision: pair.changed) }
        reading.headRevision = pair.changed
      } else if keys.isBelowMembers(pair.key) {
        reading.strays += 1  // bounded: as many as are in memory
      }
    }
    return .read(reading)
  }

  /// `nil` where the lease holds.
  func renewed(_ json: JSONValue) -> StoreAnswer? {
    // A stream's first message, wrapped as such.
    guard let result = json["result"] else {
      let failure = EtcdFailure(status: 0, json["error"], at: "etcd")
      return failure.isMissing ? .dead : .trouble(failure.trouble)
    }
    // What is zero is left out: a lease without time is dead.
    guard let ttl = result.etcdNumber("TTL") else { return garbled("a renewal") }
    return ttl > 0 ? nil : .dead
  }

  func audited(_ json: JSONValue) -> StoreAnswer {
    guard let range = EtcdRange(json) else { return garbled("a range") }
    return .alive(
      StoreAudit(
        cluster: range.header.cluster, revision: range.header.revision, members: range.count,
        newest: range.pairs.first?.changed ?? 0))
  }

  func putDone(_ json: JSONValue) -> StoreAnswer {
    guard let header = StoreMark(json) else { return garbled("a put") }
    return json["succeeded"]?.bool == true ? .put(revision: header.revision) : .lost
  }
}
