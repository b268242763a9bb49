// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Logging
import Monitoring
import Synchronization

extension Daemon {
  /// Does what signals and changed files ask for; returns at the first stop signal.
  func follow(_ signals: AsyncStream<ProcessSignal>, _ parts: AgentParts) async {
    // One reload at a time, whoever asks; those that nobody has taken yet are one.
    let bell = Bell()
    let (stop, order, again) = (Wish(), Wish(), Wish())
    var lists = ReloadGuard(self.lists)
    // As applied last; sections that need a restart are in it as they are in the file.
    var known = settings
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await signal in signals {
          (signal == .stop ? stop : order).isMade.store(true, ordering: .sequentiallyConsistent)
          bell.ring()
        }
      }
      group.addTask {
        await watch.run {
          log.info("the configuration's files have changed")
          bell.ring()
        }
      }
      for await _ in bell.rings {
        if stop.isMade.load(ordering: .sequentiallyConsistent) { break }
        let isOrdered = order.isMade.exchange(false, ordering: .sequentiallyConsistent)
        guard await reload(parts, &lists, &known, isOrdered: isOrdered) == .held,
          !again.isMade.exchange(true, ordering: .sequentiallyConsistent)
        else { continue }
        group.addTask { [time] in
          guard (try? await time.sleep(for: Self.heldPause)) != nil else { return }
          again.isMade.store(false, ordering: .sequentiallyConsistent)
          bell.ring()
        }
      }
      group.cancelAll()
    }
  }

  /// Time between two looks at a configuration that waits.
  private static let heldPause: Duration = .seconds(60)

  private enum Reload { case taken, refused, held }

  /// Applies the checks of a changed configuration. An invalid one changes nothing. One in which most files of an `include` or
  /// most targets of a `discover` disappeared at once waits until that lasts, unless the reload was requested.
  private func reload(
    _ parts: AgentParts, _ lists: inout ReloadGuard, _ known: inout Settings, isOrdered: Bool
  ) async -> Reload {
    let path = configPath
    for part in parts.all { await part.reread() }
    await watch.beginReading()
    let loaded = await onThread {
      Result { () throws(ConfigErrors) in
        try ConfigLoader.load(path: path, environment: processEnvironment(), patterns: Pattern.rule)
      }
    }
    switch loaded {
    case .success(let loaded):
      await watch.finishReading(loaded.origin)
      let objections = lists.judge(loaded.lists, isOrdered: isOrdered, at: time.wall())
      guard objections.isEmpty else {
        parts.refusedFile.hold(objections)
        let why = objections.joined(separator: "; ")
        log.warning(
          "the configuration on disk is not applied yet: most entries of a list disappeared at once",
          metadata: ["problem": "\(why)", "hint": "to apply it now, send SIGHUP"])
        return .held
      }
      parts.refusedFile.accept(at: time.wall())
      parts.refusedFile.note(targetsLeftOut: loaded.targetsLeftOut)
      let new = loaded.settings
      for warning in loaded.warnings { log.warning("\(warning.headline)", metadata: warning.hintMetadata) }
      let catalog = parts.base.catalog
      let before = catalog.checks
      parts.reload(new)
      tell(new, known, parts, ListChange(from: before, to: catalog.checks))
      known = new
      return .taken
    case .failure(let errors):
      for problem in errors.problems { log.error("\(problem.headline)", metadata: problem.hintMetadata) }
      log.error("the configuration was not reloaded: the last valid one stays active")
      parts.refusedFile.refuse(errors, path: path)
      return .refused
    }
  }
}

extension Daemon {
  /// Names the sections that a reload applied, and those that wait for a restart.
  private func tell(_ new: Settings, _ known: Settings, _ parts: AgentParts, _ change: ListChange) {
    let hasAlerts = settings.alerts != nil
    let applied = SettingsSection.changes(from: known, to: new, areReloaded: true, hasAlerts: hasAlerts)
    // Compared with the start: what was changed back waits for nothing.
    let waiting = SettingsSection.changes(from: settings, to: new, areReloaded: false, hasAlerts: hasAlerts)
    let names = applied.isEmpty ? "none" : applied.joined(separator: ", ")
    log.notice(
      "configuration reloaded",
      metadata: ["checks": "\(parts.base.catalog.checks.count)", "applied": "\(names)"].merging(change.facts)
      {
        $1
      })
    for (message, hint) in change.warnings { log.warning("\(message)", metadata: ["hint": "\(hint)"]) }
    if !waiting.isEmpty {
      log.warning(
        "changed settings take effect at the next start",
        metadata: [
          "sections": "\(waiting.joined(separator: ", "))", "hint": "restart the agent to apply them",
        ])
    }
    parts.refusedFile.note(restartFor: waiting)
  }
}

extension ConfigProblem {
  /// The hint for a log line, which has one line only.
  package var hintMetadata: Logger.Metadata? { hint.map { ["hint": "\($0)"] } }
}

/// A request made by a signal.
private final class Wish: Sendable {
  let isMade = Atomic(false)
}
