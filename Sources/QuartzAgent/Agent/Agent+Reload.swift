// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Logging
import Monitoring
import Synchronization

extension Agent {
  /// Does what signals and changed files ask for; returns at the first stop signal.
  func follow(_ signals: AsyncStream<ProcessSignal>, _ parts: AgentParts) async {
    // One reload at a time, whoever asks; those that nobody has taken yet are one.
    let (wishes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let stop = StopWish()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await signal in signals {
          if signal == .stop { stop.isMade.store(true, ordering: .sequentiallyConsistent) }
          sink.yield()
        }
      }
      group.addTask {
        await watch.run {
          log.info("the configuration's files have changed")
          sink.yield()
        }
      }
      for await _ in wishes {
        if stop.isMade.load(ordering: .sequentiallyConsistent) { break }
        await reload(parts)
      }
      group.cancelAll()
    }
  }

  /// Takes over the checks of a changed file. A file with a problem changes nothing.
  private func reload(_ parts: AgentParts) async {
    let path = configPath
    if let probes = parts.probes { await onThread { probes.read() } }
    await watch.beginReading()
    let loaded = await onThread {
      Result { () throws(ConfigErrors) in
        try ConfigLoader.load(path: path, environment: processEnvironment(), patterns: Pattern.rule)
      }
    }
    switch loaded {
    case .success(let loaded):
      await watch.finishReading(loaded.origin)
      parts.refusedFile.accept(at: time.wall())
      let new = loaded.settings
      for warning in loaded.warnings { log.warning("\(warning.headline)", metadata: warning.hintMetadata) }
      parts.maintenance.replace(file: new.maintenance)
      parts.discovery.follow(new.discover)
      parts.catalog.replace(file: new.checks, canaries: new.canaries, rules: new.dependencies)
      log.notice("configuration reloaded", metadata: ["checks": "\(parts.catalog.checks.count)"])
      if !new.differsOnlyInChecks(from: settings) {
        log.warning(
          "settings other than checks, defaults, canaries, dependencies, discover and maintenance have changed: they take effect at the next start"
        )
      }
    case .failure(let errors):
      for problem in errors.problems { log.error("\(problem.headline)", metadata: problem.hintMetadata) }
      log.error("the configuration was not reloaded: the old one stays in force")
      parts.refusedFile.refuse(errors, path: path)
    }
  }
}

/// Set once, when the first stop signal came.
private final class StopWish: Sendable {
  let isMade = Atomic(false)
}

extension Settings {
  fileprivate func differsOnlyInChecks(from other: Settings) -> Bool {
    var comparable = self
    comparable.checks = other.checks
    comparable.maintenance = other.maintenance
    comparable.canaries = other.canaries
    comparable.dependencies = other.dependencies
    comparable.discover = other.discover
    // They are in the checks already.
    comparable.defaults = other.defaults
    comparable.secretPaths = other.secretPaths
    return comparable == other
  }
}
