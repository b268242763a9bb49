// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// The machine's resolver files, read again when they changed. They are looked at every few seconds at most, by
/// one caller at a time and on a thread of its own; the others go on with what was read before.
final class ResolverFiles: Sendable {
  struct Contents: Hashable, Sendable {
    var configuration: ResolverConfiguration
    var hosts: HostsTable
    fileprivate var stamps: [FileStamp?]
  }

  let resolvConf: String
  let hosts: String
  private let environment: ResolverConfiguration.Environment
  private let freshness: Duration
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    var contents: Contents?
    var lookedAt: Instant?
    var isLooking = false
  }

  /// A file of this size is no resolver configuration; the rest of it is not read.
  private static let sizeLimit = 1 << 20

  init(
    resolvConf: String, hosts: String, environment: ResolverConfiguration.Environment = .init(),
    freshness: Duration = .seconds(2), time: TimeSource
  ) {
    self.time = time
    self.environment = environment
    self.resolvConf = resolvConf
    self.hosts = hosts
    self.freshness = freshness
  }

  /// `nil` only when the files were never read and no thread can be made to read them.
  func contents() async -> Contents? {
    let now = time.instant()
    let (known, mustLook) = state.withLock { state in
      let isFresh = state.lookedAt.map { $0.duration(to: now) < freshness } ?? false
      if isFresh || state.isLooking, let contents = state.contents { return (contents as Contents?, false) }
      state.isLooking = true
      return (state.contents, true)
    }
    guard mustLook else { return known }
    let read = await onThread { self.read(unlessStillAt: known?.stamps) ?? known }
    state.withLock { state in
      state.isLooking = false
      state.lookedAt = now
      state.contents = read
    }
    return read
  }

  /// Stats both files, and reads them unless nothing moved. A missing file is an empty one, as resolv.conf(5) and
  /// hosts(5) have it. `nil` where nothing changed.
  private func read(unlessStillAt stamps: [FileStamp?]?) -> Contents? {
    let now = [FileStamp(resolvConf), FileStamp(hosts)]
    if now == stamps { return nil }
    func text(_ path: String) -> String {
      String(decoding: readFile(path, limit: Self.sizeLimit) ?? [], as: UTF8.self)
    }
    return Contents(
      configuration: ResolverConfiguration(parsing: text(resolvConf), environment: environment),
      hosts: HostsTable(parsing: text(hosts)),
      stamps: now)
  }
}
