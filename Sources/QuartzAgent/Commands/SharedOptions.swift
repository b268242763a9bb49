// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Glibc
import Logging
import Monitoring

/// Where the configuration is.
struct ConfigOptions: ParsableArguments {
  @Option(
    name: [.customShort("c"), .customLong("config")],
    help: "The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.")
  var path: String?

  static let systemPath = "/etc/quartz-agent/agent.yaml"

  func validate() throws {
    if path == "" { throw ValidationError("--config is empty: name a file") }
    if path == "-" { throw ValidationError("--config reads no standard input: name a file") }
  }

  /// The file to read: the one given, or the first default that exists; nil when there is none. One behind a folder that this
  /// user may not enter counts as existing, so that it is called unreadable and not missing.
  var existing: String? { Self.existing(path) }

  static func existing(_ named: String?) -> String? {
    if let named { return named }
    return ["agent.yaml", systemPath].first { access($0, F_OK) == 0 || errno == EACCES }
  }

  /// The file to read, which has to exist.
  func required() throws -> String {
    if let existing { return existing }
    throw failure(
      "no configuration: neither agent.yaml here nor \(Self.systemPath) exists",
      hint: "name one with --config, or copy agent.yaml.example to agent.yaml",
      status: ExitStatus.configuration)
  }
}

/// How results are printed.
struct OutputOptions: ParsableArguments {
  @Option(
    help:
      "table, json, ndjson, junit, markdown, github or nagios. Default: table on a terminal, ndjson otherwise."
  )
  var format: ResultFormat?

  @OptionGroup var colors: ColorOptions

  /// - Parameter explains: what is explained is for people, wherever it is printed.
  func chosen(_ terminal: Terminal, explains: Bool = false) -> ResultFormat {
    format ?? (terminal.isTerminal || explains ? .table : .ndjson)
  }
}

/// How the log looks.
struct LogOptions: ParsableArguments {
  @Option(help: "trace, debug, info, notice, warning, error or critical.")
  var logLevel: Logger.Level = .info

  @Option(help: "text or json. Log lines go to standard error.")
  var logFormat: LogFormat = .text
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension LogFormat: ExpressibleByArgument {}

extension Duration: @retroactive ExpressibleByArgument {
  /// A number with a unit, such as `500ms`, `30s` or `5m`.
  public init?(argument: String) {
    self.init(text: argument)
  }

  /// The form that the option accepts.
  public var defaultValueDescription: String { text }
}
