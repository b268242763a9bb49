// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Logging
import Monitoring
import Spool

/// `quartz-agent run`: the daemon.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Probe on schedule, keep uptime windows, deliver results.",
    discussion: """
      Runs until SIGTERM or SIGINT, then finishes what is in flight within 5 s and exits 0; a second signal exits at \
      once. SIGHUP, and a change of its files, reads the checks of the configuration again.

      Exit code: 0 stopped by a signal, 64 wrong usage, 70 internal error, or results could not be written to disk, \
      75 another agent holds the state directory, 78 a wrong configuration, 130 or 143 after a second signal.
      """)

  @OptionGroup var config: ConfigOptions
  @OptionGroup var logging: LogOptions

  func run() async throws {
    let signals = processSignals()
    let time = TimeSource.system
    let sink = LogSink(format: logging.logFormat, time: time)
    defer { sink.drain() }
    let log = Logger(label: "agent") { SinkHandler(label: $0, sink: sink, logLevel: logging.logLevel) }
    let path = try config.required()
    let loaded = try loadConfig(path) { log.warning("\($0.headline)", metadata: $0.hintMetadata) }
    for problem in await onThread({ NamedFiles(loaded.settings).problems }) {
      log.warning("a file that the configuration names cannot be used", metadata: ["problem": "\(problem)"])
    }
    do {
      try await Daemon(loaded, from: path, log: log, time: time).run(signals)
    } catch let error as SpoolError {
      throw failure(error.description, status: error.exitStatus)
    }
  }
}

extension SpoolError {
  var exitStatus: Int32 {
    switch self {
    case .locked: ExitStatus.locked
    case .invalidSettings: ExitStatus.configuration
    case .notDurable: ExitStatus.internalError
    }
  }
}
