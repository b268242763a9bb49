// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Curl
@testable import Groups
@testable import Monitoring
@testable import Network
@testable import QuartzAPI

/// Whatever a group's store says. The first byte chooses: a value by itself in the roles it can have, a watch cut into
/// pieces, or the life of a member that is told one thing after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(bytes.dropFirst(2))
  switch bytes[0] % 4 {
  case 0: readValues(rest)
  case 1: readAnswers(rest)
  case 2: readWatch(rest, piece: Int(bytes[1]) + 1)
  default:
    var life = StoredLife(seed: bytes[1])
    life.live(rest)
  }
  return 0
}

/// Never asked anything: only what it makes of answers is wanted.
let client: EtcdClient = {
  guard let engine = try? CurlEngine() else { fatalError("no engine") }
  let outbound = Outbound(engine: engine, resolver: NoNames(), userAgent: "fuzz", time: .system)
  return EtcdClient(EtcdSettings(endpoints: []), over: outbound)
}()

private struct NoNames: HostResolving {
  func resolve(_ host: String, ip: IPPreference, deadline: Instant) -> ResolvedHost {
    ResolvedHost(failure: Verdict(.dnsNXDomain, phase: .dns))
  }
}

let store = EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a")
let places = EtcdQuorum(client: client, prefix: "/q/")
let incidents = EtcdIncidents(client: client, prefix: "/q/", group: "g")

/// What a key can hold: a card, the head of the list, parts of it, a vote, and the keys' own names.
private func readValues(_ bytes: [UInt8]) {
  if let card = MemberCard(json: bytes) {
    precondition((0...StoreBounds.weight).contains(card.weight) && card.applied >= 0)
    precondition((card.url?.utf8.count ?? 0) <= 203 && card.version.utf8.count <= 43)
    // What is kept of it is a card again, and the same one.
    precondition(MemberCard(json: card.json) == card)
  }
  if let head = ListHead(json: bytes, revision: 3) {
    precondition((0...ListHead.mostParts).contains(head.parts) && head.version > 0)
    precondition(ListHead(json: head.json, revision: 3) == head)
  }
  if let vote = Vote(json: bytes) { precondition(Vote(json: vote.json) == vote) }
  if let key = QuorumKey(path: String(decoding: bytes, as: UTF8.self)) {
    precondition(QuorumKey(path: key.path) == key)
  }
  _ = store.keys.name(of: bytes)
  if let clear = Base64.bytes(String(decoding: bytes, as: UTF8.self), limit: 4096) {
    precondition(clear.count <= 4096)
  }
  precondition(Base64.bytes(Base64.text(bytes), limit: bytes.count) == bytes)
  let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
  if let list = CheckSnapshot(parts: parts) {
    let (again, leftOut) = list.parts()
    precondition(!leftOut.isEmpty || CheckSnapshot(parts: again)?.checks.count == list.checks.count)
  }
}

/// What a call can answer.
private func readAnswers(_ bytes: [UInt8]) {
  guard let json = try? JSONValue.parse(bytes, maxDepth: StoreBounds.depth) else { return }
  let answers = [
    store.granted(json), store.claimed(json), store.reading(json), store.audited(json), store.putDone(json),
    store.renewed(json),
  ]
  for case .trouble(let trouble)? in answers { precondition(trouble.words.utf8.count < 400) }
  if case .read(let reading) = answers[2] {
    precondition(reading.revision >= 0)
    precondition(GroupView(reading).members.count <= StoreBounds.members)
  }
  precondition(EtcdFailure(status: 500, json, at: "etcd").trouble.words.utf8.count < 400)
  if let range = EtcdRange(json) {
    _ = incidents.entries(range.pairs.map { EtcdEvent($0) })
  }
  if let part = EtcdPage(json, after: []) {
    let page = places.page(part, at: 0)
    var mirror = VoteMirror()
    mirror.take(page.rows, now: .epoch) { _ in true }
    precondition(mirror.count == page.rows.growth && mirror.strange.count <= 2 * mirror.count)
    for entry in page.rows.entries { _ = mirror.vote(entry.key.check, of: "g") }
  }
}

/// A watch's body in pieces says what it says whole.
private func readWatch(_ bytes: [UInt8], piece: Int) {
  var whole = LineCutter(), cut = LineCutter()
  let lines = whole.take(bytes) ?? []
  var others: [[UInt8]] = []
  for start in stride(from: 0, to: bytes.count, by: piece) {
    others += cut.take(Array(bytes[start..<min(bytes.count, start + piece)])) ?? []
  }
  precondition(lines == others)
  var readers = WatchReaders()
  _ = readers.add(
    readers.number(),
    WatchReaders.Reader(span: KeySpan(below: "/q/"), told: 3, tell: { _ in }, end: { _ in }))
  for line in lines {
    let read = WatchLine(line)
    readers.take(read, readers.turn).act()
    guard case .changes(_, let events, _) = read else { continue }
    _ = store.changes(events)
    precondition(places.rows(events).revision == events.map(\.pair.changed).max() ?? 0)
    _ = incidents.entries(events)
  }
}
