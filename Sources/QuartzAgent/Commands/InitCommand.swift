// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Checks
import Glibc
import Monitoring

/// `quartz-agent init`.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a first configuration for targets, with comments.",
    discussion: """
      Without targets it asks for them on a terminal. An existing file is never overwritten. Exit code: 0 written, \
      64 wrong target, 73 the file exists or cannot be written.
      """)

  @Argument(
    help:
      "Targets: https://host/path, host:port, tls://host, dns://server/name, ping://host, or a host.")
  var targets: [String] = []

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write; - is standard output. Default: agent.yaml.", valueName: "file"))
  var output = "agent.yaml"

  @Option(help: ArgumentHelp("Interval of the checks, such as 30s.", valueName: "duration"))
  var interval: Duration = .seconds(60)

  @Option(
    help: ArgumentHelp(
      "Listen address of the status page, such as 127.0.0.1:9797.", valueName: "address:port"))
  var listen: String?

  func validate() throws {
    guard CheckLimits.interval.contains(interval) else {
      throw ValidationError(
        "--interval must be \(CheckLimits.interval.lowerBound.text) to \(CheckLimits.interval.upperBound.text)"
      )
    }
  }

  func run() throws {
    if output != "-", access(output, F_OK) == 0 { throw exists(output) }
    var starter = StarterConfig(targets: targets, interval: interval, listen: listen)
    if targets.isEmpty { starter = try Interview().ask(starter) }
    guard starter.targets.count <= StarterConfig.most else {
      throw usage("there are \(starter.targets.count) targets, at most \(StarterConfig.most) are taken", nil)
    }
    let text: String
    do {
      text = try starter.text(patterns: Pattern.rule)
    } catch {
      throw usage(error.message.replacing("status.listen must", with: "--listen must"), error.hint)
    }
    guard output != "-" else {
      printOutput(text)
      return
    }
    try write(text)
    let file = shellWord(output)
    printOutput("wrote \(output)\nnext: quartz-agent once -c \(file), then quartz-agent run -c \(file)\n")
  }

  /// Created by us or not at all.
  private func write(_ text: String) throws {
    let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else {
      let code = errno
      if code == EEXIST { throw exists(output) }
      throw cannotWrite(code)
    }
    defer { close(descriptor) }
    let code = writeAll(Array(text.utf8), to: descriptor)
    guard code == 0 else {
      unlink(output)
      throw cannotWrite(code)
    }
  }

  private func cannotWrite(_ code: Int32) -> CommandFailure {
    failure(
      "cannot write \(quoted(output)): \(String(cString: strerror(code)))", status: ExitStatus.cannotCreate)
  }
}

private func usage(_ message: String, _ hint: String?) -> CommandFailure {
  failure(message, hint: hint, status: ExitCode.validationFailure.rawValue)
}

private func exists(_ path: String) -> CommandFailure {
  failure(
    "\(quoted(path)) exists, and is not overwritten", hint: "name another file with --output",
    status: ExitStatus.cannotCreate)
}

/// Asks a person on the terminal. An impossible answer is reported at once and asked again.
private struct Interview {
  func ask(_ starter: StarterConfig) throws -> StarterConfig {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw usage(
        "there are no targets, and no terminal to ask for them",
        "quartz-agent init https://shop.example db.example:5432")
    }
    var answers = starter
    printError("Targets to check: a URL, host:port or host; an empty line ends the list.")
    while answers.targets.count < StarterConfig.most, let line = prompt("target"), !line.isEmpty {
      var one = answers
      one.targets = [line]
      do {
        _ = try one.text(patterns: Pattern.rule)
        answers.targets.append(line)
      } catch {
        printError("  \(error.message)" + (error.hint.map { " (\($0))" } ?? ""))
      }
    }
    guard !answers.targets.isEmpty else {
      throw usage("nothing is to be watched, so nothing was written", nil)
    }
    while let line = prompt("how often [\(answers.interval.text)]"), !line.isEmpty {
      if let interval = Duration(text: line), CheckLimits.interval.contains(interval) {
        answers.interval = interval
        break
      }
      printError("  write a duration of at least 1s, such as 30s or 5m")
    }
    let page = "127.0.0.1:9797"
    if answers.listen == nil, let line = prompt("a status page on http://\(page)/ [y/n]"),
      ["y", "yes"].contains(line.lowercased())
    {
      answers.listen = page
    }
    return answers
  }

  /// Without blanks around; `nil` when there is no more input.
  private func prompt(_ words: String) -> String? {
    let bytes = Array("\(words): ".utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    guard let line = readLine(strippingNewline: true) else { return nil }
    return String(line.prefix(2048)).withoutBlanks
  }
}
