// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Curl
import Logging
import Monitoring
import Network
import Synchronization

/// Asks the sources of `discover` that are no files, and keeps their targets in the state directory, from where the
/// configuration is read again. Targets stay while a source is away, also over restarts.
final class DiscoveryKeeper: Sendable {
  private let wishes: AsyncStream<[DiscoverySource]>
  private let wish: AsyncStream<[DiscoverySource]>.Continuation
  private let disk: StateDisk
  private let lists: DiscoveredLists
  private let fetch: Fetch
  private let log: Logger
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    /// Places in the section, of all kinds.
    var numbers: [DiscoverySource: Int] = [:]
    /// Why the last question to each came to nothing.
    var failures: [DiscoverySource: Failure] = [:]
    var omissions: [DiscoverySource: Omissions] = [:]
  }

  /// Parts of the latest list that make no check.
  private struct Omissions: Hashable {
    var targets = 0
    var words: [String] = []
  }

  private struct Failure: Hashable {
    var why: String
    /// Whether there is a list that stays.
    var isKnown: Bool
  }

  /// One question to a source.
  typealias Fetch = @Sendable (DiscoverySource) async throws(CancellationError) -> DiscoveryFinding

  init(
    _ sources: [DiscoverySource], disk: StateDisk, log: Logger, time: TimeSource,
    fetch: @escaping Fetch
  ) {
    (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (self.disk, self.log, self.time, self.fetch) = (disk, log, time, fetch)
    lists = DiscoveredLists(disk: disk)
    follow(sources)
  }

  /// Other sources than before: what stays the same keeps its clock, what is gone is asked no more.
  func follow(_ sources: [DiscoverySource]) {
    let numbers = Dictionary(sources.enumerated().map { ($1, $0) }) { first, _ in first }
    state.withLock { $0.numbers = numbers }
    wish.yield(sources.filter { $0.cacheName != nil })
  }

  /// Until the task is cancelled; each source by a clock of its own.
  func run() async {
    await withDiscardingTaskGroup { group in
      var followed: [DiscoverySource: Task<Void, Never>] = [:]
      var last: Set<DiscoverySource>?
      for await sources in wishes {
        let wanted = Set(sources)
        for (source, task) in followed where !wanted.contains(source) {
          task.cancel()
          await task.value
          followed[source] = nil
          state.withLock { ($0.failures[source], $0.omissions[source]) = (nil, nil) }
          if let name = source.cacheName { disk.settled(name) }
        }
        guard wanted != last else { continue }
        last = wanted
        let lists = await lists.prepare(sources)
        for source in sources where followed[source] == nil {
          guard let list = source.cacheName.flatMap({ lists[$0] }) else { continue }
          let task = Task { await self.ask(source, into: list) }
          followed[source] = task
          group.addTask {
            await withTaskCancellationHandler {
              await task.value
            } onCancel: {
              task.cancel()
            }
          }
        }
      }
    }
  }

  private func ask(_ source: DiscoverySource, into kept: DiscoveredList) async {
    repeat {
      guard let finding = try? await fetch(source), !Task.isCancelled else { return }
      await take(finding, of: source, into: kept)
    } while (try? await time.sleep(for: source.refresh)) != nil
  }

  private func take(_ finding: DiscoveryFinding, of source: DiscoverySource, into kept: DiscoveredList) async
  {
    var problem: String?
    switch finding {
    case .failed(let why): problem = why
    case .list(let list):
      switch await kept.take(list, at: time.wall()) {
      case .same: tellOmissions(of: list, source)
      case .other:
        log.notice(
          "other targets were discovered",
          metadata: ["source": "\(name(of: source))", "targets": "\(list.targets.count)"])
        tellOmissions(of: list, source)
      case .refused(let why): problem = why
      }
    }
    var failure: Failure?
    if let problem { failure = Failure(why: problem, isKnown: await kept.isKnown()) }
    let before = state.withLock { state in
      defer { state.failures[source] = failure }
      return state.failures[source]
    }
    if let failure, before != failure {
      log.warning(
        failure.isKnown
          ? "targets cannot be discovered; those known before stay"
          : "targets cannot be discovered; none are known yet",
        metadata: ["source": "\(name(of: source))", "problem": "\(failure.why)"])
    } else if failure == nil, before != nil {
      log.notice("targets are discovered again", metadata: ["source": "\(name(of: source))"])
    }
  }

  /// Two sources may be on one host: the label alone does not say which one it is.
  private func name(of source: DiscoverySource) -> String {
    let number = state.withLock { $0.numbers[source] }
    return number.map { "discover[\($0)] \(source.label)" } ?? source.label
  }

  /// Logs what makes no check, once for the same words.
  private func tellOmissions(of list: TargetList, _ source: DiscoverySource) {
    let new = Omissions(targets: list.leftOut, words: list.omissions)
    let old = state.withLock { $0.omissions.updateValue(new, forKey: source) }
    guard new != old else { return }
    for words in new.words {
      log.warning(
        "a part of the list is left out", metadata: ["source": "\(name(of: source))", "why": "\(words)"])
    }
  }
}

extension DiscoveryKeeper: AgentPart {
  func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await self.run() }] }

  func apply(_ settings: Settings) { follow(settings.discover) }

  var notices: [Notice] {
    let failures = state.withLock(\.failures).map { source, failure in
      let targets = failure.isKnown ? "the targets known before stay" : "no targets are known yet"
      return "\(name(of: source)): \(failure.why); \(targets)"
    }.sorted().map { Notice.warning(.discovery, $0) }
    let omissions = state.withLock(\.omissions).filter { $0.value.targets > 0 }.map { source, omissions in
      "\(name(of: source)): targets left out, as they make no check: \(omissions.targets)"
    }.sorted().map { Notice.warning(.discovery, $0, hint: "the log names up to 50 of them, and why") }
    return failures + omissions
  }
}

extension DiscoveryKeeper {
  /// Of one question; less than the shortest time between two.
  static let patience: Duration = .seconds(8)

  /// Asks over the engine of the probes, where the administrator's rules let it.
  static func fetch(_ settings: Settings, _ engine: ProbeEngine) -> Fetch {
    let (outbound, rules) = (engine.outbound, OutboundRules.egress(settings.egress))
    return { source throws(CancellationError) in
      switch source.place {
      case .files: .failed("files are looked at as the configuration is")
      case .http(let url, let headers): try await Self.ask(url, headers, source, outbound, rules)
      case .dns(let name): try await Self.ask(name, engine)
      }
    }
  }

  private static func ask(_ name: String, _ engine: ProbeEngine) async throws(CancellationError)
    -> DiscoveryFinding
  {
    let found = try await engine.resolver.services(of: name, until: engine.time.instant() + patience)
    if let problem = found.problem { return .failed(problem) }
    return .list(
      TargetList(
        targets: found.services.map {
          TargetList.Target(address: $0.description, host: $0.host, port: $0.port)
        }))
  }

  static func ask(
    _ url: HTTPURL, _ headers: [HeaderField], _ source: DiscoverySource, _ outbound: Outbound,
    _ rules: OutboundRules, within patience: Duration = DiscoveryKeeper.patience
  ) async throws(CancellationError) -> DiscoveryFinding {
    let seconds = source.refresh.components.seconds
    var request = TransferRequest(
      url: url.text, timeout: patience, goal: .body(limit: DiscoverySource.mostBytes + 1),
      headers: [
        HeaderField("Accept", "application/json"),
        HeaderField("X-Prometheus-Refresh-Interval-Seconds", "\(seconds)"),
      ] + headers)
    request.origin = WorkOrigin(.discovery, named: url.host)
    let answer: OutboundAnswer
    switch try await outbound.ask(request, rules) {
    case .failure(let failure): return .failed(failure.words)
    case .success(let found): answer = found
    }
    guard answer.status == 200 else { return .failed("\(url.endpoint) answered \(answer.status), not 200") }
    guard answer.body.count <= DiscoverySource.mostBytes else {
      return .failed("\(url.endpoint): the answer is longer than \(DiscoverySource.mostBytes >> 20) MiB")
    }
    // Parsing megabytes of JSON would block the shared pool.
    let read = await onThread { [body = answer.body] in
      Result { () throws(TargetList.Problem) in try TargetList(json: body) }
    }
    switch read {
    case .success(let list): return .list(list)
    case .failure(let problem): return .failed("\(url.endpoint): the answer \(problem.message)")
    }
  }
}

/// Answer of a source of targets.
package enum DiscoveryFinding: Sendable {
  case list(TargetList)
  /// In words without secrets.
  case failed(String)
}
