// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// What a finished run of the binary left behind.
struct Outcome {
  let status: Int32
  let stdout: String
  let stderr: String
}

/// The shipped binary, started as a user would start it, in a folder of the test's own.
final class AgentProcess {
  let folder: URL
  private let process = Process()
  private let stdoutFile: URL
  private let stderrFile: URL

  /// The product next to the test bundle: the build under test, whatever folder it was built in.
  static let binary = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "quartz-agent")

  /// A shell ignores SIGINT for what it starts in the background, and nohup SIGHUP, and so would all that is started
  /// from there.
  private static let hearsSignals: Void = [SIGINT, SIGHUP].forEach { signal($0, SIG_DFL) }

  /// - Parameters:
  ///   - stdout: a path to write to instead of a file of the folder, such as /dev/full.
  ///   - program: another program, for what a person would do beside the agent.
  init(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], stdout: String? = nil,
    program: URL = AgentProcess.binary
  ) throws {
    Self.hearsSignals
    if program == Self.binary, let file = Self.fileWithoutStateDirectory(arguments, in: folder) {
      throw Stuck(what: "\(file) names no state_dir: what other tests do would be seen", stderr: "")
    }
    self.folder = folder
    let run = UUID().uuidString
    stdoutFile = folder.appending(path: "stdout-\(run)")
    stderrFile = folder.appending(path: "stderr-\(run)")
    for file in [stdoutFile, stderrFile] {
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    }
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    var variables = ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(environment) { _, new in new }
    // A mistake that is planted in this process is planted in the binary too: see scripts/plant.
    variables["QUARTZ_PLANT"] = ProcessInfo.processInfo.environment["QUARTZ_PLANT"]
    process.environment = variables
    process.standardInput = FileHandle.nullDevice
    let out = try FileHandle(forWritingTo: stdout.map { URL(filePath: $0) } ?? stdoutFile)
    let error = try FileHandle(forWritingTo: stderrFile)
    (process.standardOutput, process.standardError) = (out, error)
    // They stay open for as long as the process object lives, which is for good: with more than a thousand of them
    // Foundation, which lists all when it starts a process, reads beyond its list and crashes.
    defer {
      try? out.close()
      try? error.close()
    }
    try process.run()
  }

  /// The configuration with which the agent would use the machine's own state directory, where another test may be.
  private static func fileWithoutStateDirectory(_ arguments: [String], in folder: URL) -> String? {
    let reading = [
      "run", "status", "spool", "doctor", "group", "incidents", "ack", "mute", "unmute", "maintenance",
      "report",
    ]
    guard reading.contains(arguments.first ?? "") else { return nil }
    let named = arguments.firstIndex { $0 == "-c" || $0 == "--config" }.map { arguments[$0 + 1] }
    let path = named ?? "agent.yaml"
    let file = path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    return text.contains("state_dir") ? nil : path
  }

  var isRunning: Bool { process.isRunning }
  var identifier: Int32 { process.processIdentifier }
  var stdout: String { (try? String(contentsOf: stdoutFile, encoding: .utf8)) ?? "" }
  var stderr: String { (try? String(contentsOf: stderrFile, encoding: .utf8)) ?? "" }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Stops it, as the machine might: returns once the kernel says that it does not run (proc_pid_stat(5)).
  func pause() async throws {
    send(SIGSTOP)
    try await wait(for: "the stop") {
      let stat = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
      return stat.split(separator: ")").last?.hasPrefix(" T") == true
    }
  }

  /// Waits for the end without holding a thread of the cooperative pool.
  func finish(within limit: Duration = .seconds(60)) async throws -> Outcome {
    let deadline = ContinuousClock.now + limit
    while process.isRunning {
      if ContinuousClock.now > deadline {
        process.terminate()
        kill(process.processIdentifier, SIGKILL)
        throw Stuck(what: "the agent did not end", stderr: stderr)
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    return Outcome(status: process.terminationStatus, stdout: stdout, stderr: stderr)
  }

  /// Polls until the condition holds; a condition that never does is a failure that shows what the agent said.
  func wait(
    for what: String, within limit: Duration = .seconds(30), _ condition: () throws -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
      guard ContinuousClock.now < deadline, process.isRunning else {
        throw Stuck(what: "never happened: \(what)", stderr: stderr)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}

struct Stuck: Error, CustomStringConvertible {
  let what: String
  let stderr: String
  var description: String { what + "\n" + stderr }
}

/// Runs the binary to its end.
func agent(
  _ arguments: String..., in folder: URL, environment: [String: String] = [:]
) async throws -> Outcome {
  try await AgentProcess(arguments, in: folder, environment: environment).finish()
}
