// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Groups
import Logging
import Monitoring
import QuartzAPI

/// The last view of the group in the state directory, so that an agent which starts while the store is away goes on with
/// what it had.
struct GroupMemoryFile: Sendable {
  private let file: any DurableBytes
  private let path: String
  private let root: String
  private let name: String
  private let log: Logger
  private let time: TimeSource

  static let fileName = "group-view.json"
  /// Between two looks whether there is another view.
  private static let pulse: Duration = .seconds(1)
  /// A view that stays is written again so often, for its age counts.
  private static let refresh: Duration = .seconds(3600)
  /// After a failure.
  private static let patience: Duration = .seconds(60)

  init(_ group: GroupSettings, _ settings: Settings, _ disk: StateDisk, log: Logger, time: TimeSource) {
    self.init(
      disk.file(Self.fileName, maxBytes: GroupMemory.mostBytes), path: "\(disk.folder)/\(Self.fileName)",
      group,
      name: settings.agent.name, log: log, time: time)
  }

  /// - Parameter path: of the file, for people.
  init(
    _ file: any DurableBytes, path: String, _ group: GroupSettings, name: String, log: Logger,
    time: TimeSource
  ) {
    root = EtcdKeys(prefix: group.prefix, group: group.name).root
    (self.file, self.path, self.name) = (file, path, name)
    (self.log, self.time) = (log, time)
  }

  /// `nil` where none holds. Why not is in the log.
  func read() async -> GroupMemory? {
    do throws(StateFile.Failure) {
      return judge(try await file.read())
    } catch { return pass(over: error.description) }
  }

  /// The memory in the file's bytes. `nil` where they are of no use, or there is none that holds.
  func judge(_ bytes: [UInt8]?) -> GroupMemory? {
    guard let bytes else { return nil }
    guard let memory = GroupMemory(json: bytes) else { return pass(over: "it is damaged") }
    if let objection = memory.objection(root: root, name: name, now: time.wall()) {
      return pass(over: objection)
    }
    return memory
  }

  private func pass(over problem: String) -> GroupMemory? {
    log.warning(
      "the group's last view in state_dir is not used: without the store, this agent will run all of the group's checks",
      metadata: ["problem": "\(problem)", "file": "\(path)"])
    return nil
  }

  /// Writes each view that is another one, until its task is cancelled.
  func keep(_ runner: GroupRunner) async { await keep { runner.remembered(root: root) } }

  /// - Parameter view: of now; `nil` where none is known to hold.
  func keep(_ view: @Sendable () -> GroupMemory?) async {
    var kept: GroupMemory?
    var due = time.instant()
    var isFailing = false
    while (try? await time.sleep(for: Self.pulse)) != nil {
      guard let memory = view() else { continue }
      let now = time.instant()
      let isNew = memory.cluster != kept?.cluster || memory.view != kept?.view
      guard isFailing || !isNew ? now >= due : true else { continue }
      do throws(StateFile.Failure) {
        try await file.write(memory.json)
        kept = memory
        due = now + Self.refresh
        isFailing = false
      } catch {
        // Meanwhile a start without the store would run all of the group's checks.
        isFailing = true
        due = now + Self.patience
      }
    }
  }
}
