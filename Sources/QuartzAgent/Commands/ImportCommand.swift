// SPDX-License-Identifier: MIT

import Agent
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
      database or a backup in JSON), nagios (objects of Nagios and Icinga 1), icinga2 (hosts, services and apply rules), \
      cloudprober, checkly (JSON of its API), upptime (.upptimerc.yml), telegraf (http_response, net_response, ping, \
      dns_query, x509_cert), smokeping (Targets with Probes); auto looks for itself.

        quartz-agent import auto blackbox.yml prometheus.yml -o agent.yaml

      Settings that could not be carried over, or not with the same meaning, are comments, with the reason; with --output \
      each of them is also a line of the report beside it. Secrets become references: to files beside the output, or to \
      variables of the environment on standard output.

      With --diff nothing is written without --output: the old monitor (blackbox_exporter) and the new checks are asked \
      side by side, and their verdicts compared.

        quartz-agent import blackbox blackbox.yml prometheus.yml \\
          --diff http://127.0.0.1:9115 --for 1h

      Exit code: 0 everything was carried over with the same meaning, 1 something was not, \
      65 the files are unusable, 66 a file cannot be read, 73 the output exists or cannot be written. With --diff: 0 all \
      verdicts were the same, 1 some differed, 3 nothing could be compared, 130 stopped before the end, with what was \
      seen until then.
      """)

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write here instead of standard output (-).", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Write the report of settings that were not carried over here. Default: the output with .report.txt behind it.",
      valueName: "file"))
  var report: String?

  @Flag(help: "Replace the output and the report where they exist.")
  var force = false

  @Option(help: ArgumentHelp("Compare verdicts with the blackbox_exporter there.", valueName: "url"))
  var diff: String?

  @Option(name: .customLong("for"), help: "How long to compare, such as 10m.")
  var length: Duration = .seconds(3600)

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
    guard report != "-" else { throw ValidationError("--report must name a file") }
    guard report == nil || report != outputFile else {
      throw ValidationError("--report must name another file than --output")
    }
    guard length >= .seconds(1), length <= .seconds(7 * 86_400) else {
      throw ValidationError("--for must be 1s to 7d")
    }
    if let diff {
      do throws(HTTPURL.Invalid) { _ = try HTTPURL(diff) } catch {
        throw ValidationError("--diff: \(error.message), such as http://127.0.0.1:9115")
      }
    }
  }

  /// `nil` for standard output, which `-` names as well.
  private var outputFile: String? { output == "-" ? nil : output }

  func run() async throws {
    var gathered = ImportFiles(ImportFormat(word: format), read: read)
    let given: [ImportFile]
    do { given = try gathered.gather(files) } catch let problem as ImportFiles.TooMuch {
      throw failure(problem.message, hint: problem.hint, status: ExitStatus.badData)
    }
    let output = outputFile
    let report = report ?? output.map { $0 + ".report.txt" }
    for (path, option) in [(output, "--output"), (report, "--report")] {
      var status = stat()
      // A link that leads nowhere is one as well.
      guard let path, !force, lstat(path, &status) == 0 else { continue }
      throw failure(
        "\(path.printable(maxBytes: 500)) exists", hint: "choose another \(option), or say --force",
        status: ExitStatus.cannotCreate)
    }
    let imported: Imported
    do {
      imported = try Importer.read(ImportFormat(word: format), given)
    } catch {
      throw failure(error.message, hint: error.hint, status: ExitStatus.badData)
    }
    let document = ImportDocument(imported, output: output)
    guard !document.checks.isEmpty || !document.sections.discover.isEmpty else {
      for line in document.reasons.prefix(20) { printError("quartz-agent: \(line)") }
      throw failure("no check could be made of it", status: ExitStatus.badData)
    }
    guard !document.isTooLarge else {
      throw failure(
        "the agent.yaml of it would be larger than 16 MiB", hint: "import the files in parts",
        status: ExitStatus.badData)
    }
    if output != nil || diff == nil { try write(document, report) }
    for line in document.summary(report: report) { printError(line) }
    if let diff { return try await compare(imported, with: diff) }
    if !document.isWhole { throw ExitCode(ExitStatus.degraded) }
  }

  /// The database with the changes of its write-ahead log applied. A database with a hot rollback journal is refused.
  private func whole(_ path: String, _ bytes: [UInt8]) throws -> [UInt8] {
    guard path != "-", bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return bytes }
    let shown = path.printable(maxBytes: 500)
    if isThere(path + "-journal") {
      throw failure(
        "\(shown)-journal has changes that are not in the database yet",
        hint: "stop Uptime Kuma and run: sqlite3 \(shown) 'PRAGMA journal_mode'", status: ExitStatus.badData)
    }
    guard isThere(path + "-wal") else { return bytes }
    let log = try readWhole(path + "-wal", limit: Self.largest)
    let database = try readWhole(path, limit: Self.largest)
    // A checkpoint between the two reads would lose its pages.
    guard try readWhole(path + "-wal", limit: Self.largest) == log else {
      throw failure(
        "\(shown)-wal changes while it is read", hint: "stop Uptime Kuma, or try again",
        status: ExitStatus.badData)
    }
    do { return try WriteAheadLog.played(log, into: database) } catch {
      throw failure("\(shown): \(error.message)", hint: error.hint, status: ExitStatus.badData)
    }
  }

  private func isThere(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  private func compare(_ imported: Imported, with url: String) async throws {
    guard imported.format == .blackbox else {
      throw failure(
        "--diff asks blackbox_exporter, and these are files of \(imported.format.rawValue)",
        status: ExitStatus.badData)
    }
    let pairs: [ImportDiff.Pair]
    do throws(ConfigErrors) {
      pairs = try ImportDiff.pairs(
        ImportDocument(imported, output: nil, fixesTargets: true), old: url, file: files[0])
    } catch {
      throw failure(error.description.printable(maxBytes: 1000), status: ExitStatus.badData)
    }
    guard !pairs.isEmpty else {
      throw failure(
        "--diff has nothing to compare: no enabled check of these files is one that blackbox_exporter answers",
        status: ExitStatus.badData)
    }
    let status = try await ImportDiff(pairs: pairs, length: length, time: .system).run()
    if status != 0 { throw ExitCode(status) }
  }

  private static let largest = 64 << 20

  private func read(_ path: String) throws -> ImportFile {
    do {
      let bytes = try whole(path, readWhole(path, limit: Self.largest))
      return ImportFile(name: path == "-" ? "standard input" : path, bytes: bytes)
    } catch let error as UnreadableFile {
      throw failure(error.words, status: ExitStatus.noInput)
    }
  }

  private func write(_ document: ImportDocument, _ report: String?) throws {
    do {
      if let report {
        let lines = document.report.map { $0 + "\n" }.joined()
        // One beside the output that has nothing to say is not made, and that of a former import is removed.
        if lines.isEmpty, self.report == nil {
          unlink(report)
        } else {
          try writeWhole(report, Array(lines.utf8))
        }
      }
      guard let output = outputFile else {
        _ = printOutput(document.text)
        return
      }
      try document.write(to: output)
      let unused = document.unusedSecrets(beside: output)
      if !unused.isEmpty {
        printError("quartz-agent: of a former import, not used any more: \(unused.andMore(after: 3))")
      }
    } catch {
      throw failure(error.words, status: ExitStatus.cannotCreate)
    }
  }
}

extension ImportFormat {
  init?(word: String) { self.init(rawValue: word) }
}
