// SPDX-License-Identifier: MIT

import Basics
import Curl
import Glibc
import Groups
import Monitoring
import Network
import Synchronization

/// Many members of one group in one process, each with its own client, lease, watch and placement; `scripts/group/scale.py`
/// speaks to it in lines.
///
/// `list`: all members get the list, one after the other; `mark`: what was used since the last mark; `when R`: when the
/// last of them had put revision R into effect; `leave`: all leave, and the process ends.
struct GroupLoad {
  private let names: [String]
  private let checks: Int
  private let ttl: Int
  private let etcd: [HTTPURL]

  init(_ arguments: Arguments) throws {
    let first = try arguments.number("first")
    names = (first..<first + (try arguments.number("members"))).map { "m\($0)" }
    checks = try arguments.number("checks")
    ttl = try arguments.number("ttl")
    etcd = try (arguments.text("etcd") ?? "").split(separator: ",").map { try HTTPURL(String($0)) }
  }

  func run() async throws {
    let engine = try CurlEngine()
    let members = names.enumerated().map { Member($1, number: $0, ttl: ttl, etcd: etcd, engine: engine) }
    let lines = AsyncStream<String> { continuation in
      // Reading blocks.
      _ = startThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for member in members {
        group.addTask { await member.live() }
        // As a fleet that is started, not as one clap.
        try? await Task.sleep(for: .milliseconds(20))
      }
      for await line in lines where await answer(line, members) == false { break }
      group.cancelAll()
    }
  }

  /// - Returns: false: it was told to leave.
  private func answer(_ line: String, _ members: [Member]) async -> Bool {
    let words = line.split(separator: " ")
    switch words.first {
    case "joined": tell("{\"joined\": \(members.count { $0.runner.placedRevision > 0 })}")
    case "list":
      let list = PlacementLoad.list(checks)
      for member in members {
        member.runner.follow(list, pools: MemberCard.Pools())
        while member.runner.assignment.total != checks || member.runner.placedRevision == 0 {
          try? await Task.sleep(for: .milliseconds(2))
        }
      }
      tell("{\"resident\": \(PlacementLoad.heldBytes()), \"owned\": \(owned(members))}")
    case "mark":
      let used = Usage.now()
      let keeps = members.flatMap { $0.store.take() }.map { String($0) }.joined(separator: ",")
      tell("{\"cpu\": \(used.user + used.system), \"keeps_us\": [\(keeps)], \"owned\": \(owned(members))}")
    case "when":
      let revision = words.dropFirst().first.flatMap { Int64($0) } ?? 0
      let times = members.compactMap { $0.effect(of: revision) }
      tell("{\"effects\": \(times.count), \"last_us\": \(times.max()?.microseconds ?? 0)}")
    default: return false
    }
    return true
  }

  private func owned(_ members: [Member]) -> Int { members.reduce(0) { $0 + $1.runner.assignment.owned } }

  private func tell(_ line: String) {
    // Not through `print`: flushing all streams would wait for the reader's lock.
    let bytes = Array("\(line)\n".utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      sent += count
    }
  }
}

/// The store is asked by its address.
private struct NoNames: HostResolving {
  func resolve(_ host: String, ip: IPPreference, deadline: Instant) -> ResolvedHost {
    ResolvedHost(failure: Verdict(.dnsNXDomain, phase: .dns))
  }
}

/// A member as an agent has it, without probes.
private final class Member: Sendable {
  let runner: GroupRunner
  let store: TimedStore
  private let effects = Mutex<[(revision: Int64, at: Instant)]>([])

  init(_ name: String, number: Int, ttl: Int, etcd: [HTTPURL], engine: CurlEngine) {
    let outbound = Outbound(engine: engine, resolver: NoNames(), userAgent: "bench", time: .system)
    let client = EtcdClient(EtcdSettings(endpoints: etcd), over: outbound)
    store = TimedStore(
      EtcdStore(client: client, keys: EtcdKeys(prefix: "/quartz/", group: "scale"), name: name))
    var card = MemberCard()
    var generator = RandomPool()
    card.boot = .v7(at: .now(), using: &generator)
    card.home = card.boot
    card.version = "0.1.0"
    card.url = "https://\(name).example:8443/"
    runner = GroupRunner(
      group: "scale", .init(name: name, ttl: .seconds(ttl)), card: card, store: store, time: .system)
  }

  func live() async {
    await runner.run(
      GroupRunner.Observer {
        // As the agent does with each change.
        let revision = self.runner.placedRevision
        _ = self.runner.assignment
        _ = self.runner.takeTaken()
        let now = Instant.now
        self.effects.withLock { effects in
          if effects.last?.revision != revision { effects.append((revision, now)) }
        }
      })
  }

  func effect(of revision: Int64) -> Instant? {
    effects.withLock { effects in effects.first { $0.revision >= revision }?.at }
  }
}

/// Tells how long each proof of a lease took: the renewal and the look at the group.
private final class TimedStore: GroupStore {
  private let store: EtcdStore
  private let times = Mutex<[Int64]>([])

  init(_ store: EtcdStore) { self.store = store }

  /// Microseconds, since the last call.
  func take() -> [Int64] {
    times.withLock { times in
      defer { times = [] }
      return times
    }
  }

  func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer {
    guard case .keepAlive = request else { return try await store.ask(request) }
    let start = Instant.now
    let answer = try await store.ask(request)
    times.withLock { $0.append(start.duration(to: .now).microseconds) }
    return answer
  }

  func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd { try await store.watch(after: revision, tell) }

  func readList(_ head: ListHead) async throws(CancellationError) -> Result<[[UInt8]], StoreTrouble> {
    try await store.readList(head)
  }

  func publishList(
    _ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64
  ) async throws(CancellationError) -> Result<Bool, StoreTrouble> {
    try await store.publishList(head, parts, replacing: revision)
  }
}
