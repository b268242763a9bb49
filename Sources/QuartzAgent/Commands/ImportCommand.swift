// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Glibc
import Import

/// `quartz-agent import`: another monitor's configuration as an agent.yaml.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Turn another monitor's configuration into an agent.yaml.",
    discussion: """
      Formats: blackbox (blackbox.yml with Prometheus' scrape configs and Probe objects), gatus, uptime-kuma (its \
      database or a backup in JSON), nagios (objects of Nagios and Icinga), cloudprober, checkly; auto looks for itself.

        quartz-agent import auto blackbox.yml prometheus.yml -o agent.yaml

      What could not be carried over stands in comments, with the reason. Secrets become references: to files beside \
      the output, or to variables of the environment on standard output.

      Exit code: 0 everything was carried over, 1 something is listed in comments, \
      65 the files are unusable, 66 a file cannot be read, 73 the output exists or cannot be written.
      """)

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write here instead of standard output.", valueName: "file"))
  var output: String?

  @Flag(help: "Replace the output where it exists.")
  var force = false

  @Argument(
    help: ArgumentHelp(
      "auto, \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "format"))
  var format: String

  @Argument(help: ArgumentHelp("The files; - for standard input.", valueName: "file"))
  var files: [String]

  func validate() throws {
    guard format == "auto" || ImportFormat(word: format) != nil else {
      throw ValidationError(
        "the format must be auto, \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard (1...1000).contains(files.count) else { throw ValidationError("give 1 to 1000 files") }
  }

  func run() async throws {
    let given = try files.map(read)
    if let output, !force, access(output, F_OK) == 0 {
      throw failure(
        "\(output.printable(maxBytes: 500)) exists", hint: "choose another --output, or say --force",
        status: ExitStatus.cannotCreate)
    }
    let imported: Imported
    do {
      imported = try Importer.read(ImportFormat(word: format), given)
    } catch {
      throw failure(error.message, hint: error.hint, status: ExitStatus.badData)
    }
    let document = ImportDocument(imported, output: output)
    guard !document.checks.isEmpty else {
      for line in document.reasons.prefix(20) { printError("quartz-agent: \(line)") }
      throw failure("no check could be made of it", status: ExitStatus.badData)
    }
    try write(document)
    for line in document.summary(imported) { printError(line) }
    if document.listed > 0 { throw ExitCode(ExitStatus.degraded) }
  }

  private func read(_ path: String) throws -> ImportFile {
    do {
      let bytes = try readWhole(path, limit: 64 << 20)
      return ImportFile(name: path == "-" ? "standard input" : path, path: path, bytes: bytes)
    } catch {
      throw failure(error.words, status: ExitStatus.noInput)
    }
  }

  private func write(_ document: ImportDocument) throws {
    guard let output else {
      _ = printOutput(document.text)
      return
    }
    do {
      try document.write(to: output)
    } catch {
      throw failure(error.words, status: ExitStatus.cannotCreate)
    }
  }
}

extension ImportFormat {
  init?(word: String) { self.init(rawValue: word) }
}
