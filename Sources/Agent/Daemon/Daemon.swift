// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Logging
import Monitoring
import Scheduler
import Spool
import Status
import StatusServer

/// The daemon: one scope that opens everything, runs until it is told to stop, and closes everything.
package struct Daemon {
  let settings: Settings
  let configPath: String
  /// Of the configuration as it was read.
  let lists: [ConfigList]
  let targetsLeftOut: Int
  let watch: ConfigWatch
  let log: Logger
  let time: TimeSource

  package init(_ loaded: LoadedConfig, from path: String, log: Logger, time: TimeSource) async {
    (settings, lists, configPath) = (loaded.settings, loaded.lists, path)
    (self.log, self.time) = (log, time)
    targetsLeftOut = loaded.targetsLeftOut
    watch = await onThread { ConfigWatch(loaded.origin, time: time) }
  }

  /// - Throws: `SpoolError` where another agent has the state directory, or the store cannot be opened.
  package func run(_ signals: AsyncStream<ProcessSignal>) async throws {
    let started = time.wall()
    if let problem = await StateFolder.prepare(settings.agent.stateDir) {
      log.warning("state_dir is not as it should be", metadata: ["problem": "\(problem)"])
    }
    let folder = settings.agent.stateDir
    let lock = try await onThread { Result { () throws(SpoolError) in try StateLock(folder) } }.get()
    let disk = StateDisk(folder: folder, time: time, medium: lock.guarding)
    let starts = await onThread { [log, time] in StartWatch(disk: disk, log: log, time: time) }
    do {
      try await live(signals, disk, starts, since: started)
    } catch {
      await onThread { starts.settle() }
      throw error
    }
    await onThread { starts.settle() }
    log.notice("stopped")
  }

  private func live(
    _ signals: AsyncStream<ProcessSignal>, _ disk: StateDisk, _ starts: StartWatch, since started: Timestamp
  ) async throws {
    let spool = try await openSpool(starts)
    let watch = ThreadWatch(log: log)
    LastResort.shared.prepare(
      LastResort.Plan(limit: Self.lastLimit) { done in
        spool.requestFlush(done)
      } words: {
        let stuck = watch.stuck
        return stuck.isEmpty ? "no thread is known to be stuck" : "stuck: \(stuck.joined(separator: ", "))"
      })
    try await withProbeEngine(egress: ProbeEgress(settings), time: time) { engine in
      let supervisor = Supervisor(environment: processEnvironment())
      let outside = try Outside(settings, engine, spool: spool, disk: disk, starts: starts, log: log)
      let parts = try await AgentParts(settings, outside, threads: watch, started: started, log: log) {
        catalog in
        supervisor?.pulse {
          catalog.checks.count { $0.enabled }
        } isWell: {
          watch.stuck.isEmpty
        }
      }
      parts.refusedFile.note(targetsLeftOut: targetsLeftOut)
      parts.begin()
      watch.start(parts.threads)
      await serve(parts, supervisor, signals)
    }
    watch.stop()
    await spool.close()
    LastResort.shared.disarm()
  }

  private func openSpool(_ starts: StartWatch) async throws -> ResultSpool {
    let spoolSettings = Spool.SpoolSettings(settings)
    let spool = try await ResultSpool.open(spoolSettings) { () throws(FileFault) in
      WatchedFileSystem(
        base: try PosixFileSystem(path: spoolSettings.path, isReserved: spoolSettings.isReserved),
        watch: starts)
    }
    if let notice = spool.status().trouble, notice.place != .stateDirectory {
      log.warning("results are kept in memory only and lost with the process: \(notice.what)")
    }
    for note in spool.status().notes { log.warning("the store: \(note.what)") }
    return spool
  }

  /// From the stop signal to the end, the last save included: less than the ten seconds a container gets.
  private static let shutdownLimit: Duration = .seconds(7)
  /// Then the process ends, whatever is stuck.
  private static let lastLimit: Duration = .milliseconds(7800)

  private func serve(
    _ parts: AgentParts, _ supervisor: Supervisor?, _ signals: AsyncStream<ProcessSignal>
  ) async {
    parts.announce()
    // What reading the configuration and the history took and gave back: the allocator would keep it for ever.
    await onThread { releaseFreeMemory() }
    let stopped = await parts.run {
      await follow(signals, parts)
      supervisor?.tell("STOPPING=1", "STATUS=finishing the probes in flight")
      log.notice("stopping: no new probes; those in flight have 5 s")
    }
    await parts.finish(until: stopped + Self.shutdownLimit)
  }
}

extension Spool.SpoolSettings {
  package init(_ settings: Settings) {
    self.init(
      path: settings.agent.stateDir + "/spool", size: settings.spool.size,
      durability: settings.spool.durability == .always ? .always : .interval)
    isReserved = settings.delivers
  }
}
