// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Alerts

/// Programs that leave something behind: nothing of it lives when the run is over, and nothing is left unburied.
@Suite(.timeLimit(.minutes(1))) struct ProgramRunTests {
  /// A script that notes the process it becomes.
  private static let sleeper = "sh -c 'echo $$ >> pids; exec sleep 300'"
  /// Its TERM is ignored, by all that it starts too.
  private static let stubborn = "sh -c 'trap \"\" TERM; echo $$ >> pids; while :; do sleep 300; done'"

  private func run(
    _ script: String, pids: Int, in folder: URL, timeout: Duration = .seconds(20)
  ) async -> ProgramRun.End {
    await program(script, pids: pids, in: folder, timeout: timeout).perform().end
  }

  /// - Parameter pids: so many are noted before the script itself ends.
  private func program(_ script: String, pids: Int, in folder: URL, timeout: Duration) -> ProgramRun {
    let whole = """
      cd '\(folder.path)'; : >> pids
      \(script)
      while [ $(wc -l < pids) -lt \(pids) ]; do sleep 0.02; done
      """
    return ProgramRun(command: ["/bin/sh", "-c", whole], input: [], timeout: timeout, time: .system)
  }

  private func noted(in folder: URL) throws -> [pid_t] {
    try String(contentsOf: folder.appending(path: "pids"), encoding: .utf8)
      .split(separator: "\n").compactMap { pid_t($0) }
  }

  /// Also those that have ended and are not buried.
  private func left(_ pids: [pid_t]) -> [pid_t] { pids.filter { access("/proc/\($0)", F_OK) == 0 } }

  /// All whose folder it is.
  private func working(in folder: URL) throws -> [pid_t] {
    let real = folder.resolvingSymlinksInPath().path
    return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")) == real
    }
  }

  private func leftOf(_ folder: URL) throws -> [pid_t] { left(try noted(in: folder)) }

  @Test(arguments: [
    // In the background, with the pipe of the output open.
    (sleeper + " &", 1), (sleeper + " < /dev/null > /dev/null 2>&1 &", 1),
    // In a session of its own, and without a parent.
    ("setsid " + sleeper + " &", 1), ("(setsid " + sleeper + " &) &", 1),
    (
      "setsid sh -c 'setsid " + sleeper.replacing("'", with: "\"").replacing("$", with: "\\$") + " & exit' &",
      1
    ),
    // With nothing of its environment.
    ("(env -i /usr/bin/setsid /bin/" + sleeper + " &) &", 1), ("setsid " + stubborn + " &", 1),
    // Stopped.
    ("setsid sh -c 'echo $$ >> pids; kill -STOP $$' &", 1),
    // Many, each of them its own session.
    ("for i in $(seq 60); do (setsid " + sleeper + " &) ; done", 60),
  ])
  func leftBehind(_ script: String, _ pids: Int) async throws {
    try await withTemporaryDirectory { folder in
      let end = await run(script, pids: pids, in: folder)
      #expect(end == .ended(code: 0, ""))
      let noted = try noted(in: folder)
      #expect(noted.count == pids && left(noted) == [], "left: \(left(noted))")
    }
  }

  /// What this machine lacks at the moment may be there later, and so may a file that is being written or lies elsewhere.
  @Test(arguments: [
    (EAGAIN, false), (ENOMEM, false), (EMFILE, false), (ENFILE, false), (ETXTBSY, false), (EIO, false),
    (ESTALE, false), (ENOENT, true), (EACCES, true), (EPERM, true), (ENOEXEC, true), (EISDIR, true),
    (ELOOP, true), (ENOTDIR, true), (E2BIG, true),
  ])
  func whatIsTriedAgain(code: Int32, isFinal: Bool) {
    #expect(ProgramRun.isFinal(code) == isFinal)
  }

  /// Over time, with a leader and others that ignore SIGTERM.
  @Test func stubbornOnes() async throws {
    try await withTemporaryDirectory { folder in
      let script = "trap '' TERM; (setsid " + Self.stubborn + " &); " + Self.stubborn + " & wait"
      #expect(await run(script, pids: 2, in: folder, timeout: .seconds(1)) == .timedOut)
      let noted = try noted(in: folder)
      #expect(noted.count == 2 && left(noted) == [])
    }
  }

  /// Who hears SIGTERM may put things in order, wherever it went.
  @Test func politeOnes() async throws {
    try await withTemporaryDirectory { folder in
      let polite =
        "setsid sh -c 'trap \"echo bye > word; exit\" TERM; echo $$ >> pids; while :; do sleep 0.05; done'"
      #expect(
        await run("(\(polite) &); exec sleep 300", pids: 1, in: folder, timeout: .seconds(1)) == .timedOut)
      let word = try String(contentsOf: folder.appending(path: "word"), encoding: .utf8)
      #expect(word == "bye\n")
      #expect(try leftOf(folder) == [])
    }
  }

  /// What starts another one and ends, twenty times a second, is caught by a later look.
  @Test func oneAfterTheOther() async throws {
    try await withTemporaryDirectory { folder in
      let relay = "echo 'echo $$ >> pids; sleep 0.05; setsid sh relay & exit' > relay; setsid sh relay &"
      #expect(await run(relay, pids: 20, in: folder) == .ended(code: 0, ""))
      // Nothing works in that folder any more, so nothing can start there either; a second look sees one that was just being made.
      let living = try working(in: folder) + working(in: folder)
      #expect(living == [])
      #expect(try leftOf(folder) == [])
    }
  }

  /// Two runs at the same time: each ends what is its own, and nothing else of this process.
  @Test func twoAtATime() async throws {
    let stranger = Process()
    stranger.executableURL = URL(filePath: "/bin/sleep")
    stranger.arguments = ["300"]
    try stranger.run()
    defer { stranger.terminate() }
    try await withTemporaryDirectory { first in
      try await withTemporaryDirectory { second in
        let long = program(
          "setsid \(Self.sleeper) & while [ ! -e go ]; do sleep 0.02; done", pids: 1, in: first,
          timeout: .seconds(30))
        let task = Task { await long.perform().end }
        try await until("the sleeper") { (try? noted(in: first))?.count == 1 }
        #expect(await run("(setsid \(Self.sleeper) &)", pids: 1, in: second) == .ended(code: 0, ""))
        #expect(try leftOf(second) == [])
        #expect(try leftOf(first).count == 1)
        #expect(stranger.isRunning)
        try Data().write(to: first.appending(path: "go"))
        #expect(await task.value == .ended(code: 0, ""))
        #expect(try leftOf(first) == [])
        #expect(stranger.isRunning)
      }
    }
  }

  /// Whoever stops gives the program a moment, and leaves nothing of it.
  @Test func stopped() async throws {
    try await withTemporaryDirectory { folder in
      let stubborn = program(
        "(setsid \(Self.stubborn) &); trap '' TERM; while :; do sleep 0.1; done", pids: 1, in: folder,
        timeout: .seconds(60))
      let task = Task { await stubborn.perform().end }
      try await until("the program") { (try? noted(in: folder))?.count == 1 }
      task.cancel()
      #expect(await task.value == .stopped)
      #expect(try leftOf(folder) == [])
    }
    try await withTemporaryDirectory { folder in
      let quick = program("echo 1 >> pids; sleep 0.5; echo done", pids: 1, in: folder, timeout: .seconds(60))
      let task = Task { await quick.perform().end }
      try await until("the program") { (try? noted(in: folder))?.count == 1 }
      task.cancel()
      #expect(await task.value == .ended(code: 0, "done"))
    }
  }

  /// The mark is this process's for the moment of the start only, and a run leaves no other trace of itself.
  @Test func nothingIsLeftOfAMark() async throws {
    try await withTemporaryDirectory { folder in
      let before = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
      let end = await run("grep msgqueue /proc/self/limits | tr -s ' ' > limits", pids: 0, in: folder)
      #expect(end == .ended(code: 0, ""))
      #expect(try String(contentsOfFile: "/proc/self/limits", encoding: .utf8) == before)
      let seen = try String(contentsOf: folder.appending(path: "limits"), encoding: .utf8)
      #expect(seen.hasPrefix("Max msgqueue size ") && !before.contains(seen))
    }
  }

  /// How it ended is known, though the agent was started by something that ignores the ends of its children.
  @Test func ignoredEnds() async throws {
    let before = signal(SIGCHLD, SIG_IGN)
    defer { signal(SIGCHLD, before) }
    try await withTemporaryDirectory { folder in
      #expect(await run("echo no; exit 3", pids: 0, in: folder) == .ended(code: 3, "no"))
    }
  }

  /// A program gets the message, may say no, and is ended with all it started.
  @Test func programs() async {
    func run(_ script: String, timeout: Duration = .seconds(20), input: Int = 10) async -> ProgramRun.End {
      await ProgramRun(
        command: ["/bin/sh", "-c", script], input: [UInt8](repeating: 0x61, count: input), timeout: timeout,
        time: .system
      ).perform().end
    }
    #expect(await run("cat >/dev/null") == .ended(code: 0, ""))
    #expect(await run("exit 3", input: 1 << 20) == .ended(code: 3, ""))
    #expect(await run("wc -c | tr -d ' '; exit 1", input: 1 << 20) == .ended(code: 1, "1048576"))
    #expect(await run("head -c 10000000 /dev/zero | tr '\\0' x; exit 2") != .timedOut)
    #expect(await run("sleep 100 & sleep 100", timeout: .milliseconds(200)) == .timedOut)
    #expect(await run("trap '' TERM; while :; do sleep 1; done", timeout: .milliseconds(100)) == .timedOut)
    #expect(await run("kill -9 $$") == .killed(9))
    #expect(await run("echo $HOME$SECRET$QUARTZ") == .ended(code: 0, ""))
    let none = await ProgramRun(command: ["/no/such/program"], input: [], timeout: .seconds(1), time: .system)
      .perform().end
    #expect(none == .notStarted("No such file or directory", isFinal: true))
  }
}
