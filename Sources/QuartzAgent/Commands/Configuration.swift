// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Checks
import Monitoring

/// Reads the configuration for a command in a shell, or prints everything that is wrong with it. Credentials of the service
/// are not to be had there: what needs them is named and left out.
func loadSettings(
  _ path: String, warn: (ConfigProblem) -> Void = { printError("warning: \($0)") },
  note: (ConfigProblem) -> Void = { printError("note: \($0)") }
) throws -> Settings {
  let loaded = try loadConfig(path, credentials: .ofTheService, warn: warn)
  loaded.unread.forEach(note)
  return loaded.settings
}

/// Without the credentials of the service, and without a word.
func loadForAsking(_ path: String) throws(ConfigErrors) -> Settings {
  try ConfigLoader.load(
    path: path, environment: processEnvironment(), patterns: Pattern.rule, credentials: .ofTheService
  ).settings
}

/// For commands that only ask or read: an agent may run on an earlier state of a file that is wrong now.
func settingsForAsking(_ path: String) throws -> Settings {
  do {
    return try loadForAsking(path)
  } catch {
    guard let readable = error.readable else { throw report(error) }
    printError(
      "warning: \(path) has problems; a running agent keeps the last valid one. See quartz-agent validate")
    return readable
  }
}

/// The same, with what it was read from.
func loadConfig(
  _ path: String, credentials: CredentialRule = .needed, of subject: String = "the configuration",
  warn: (ConfigProblem) -> Void
) throws -> LoadedConfig {
  do {
    let loaded = try ConfigLoader.load(
      path: path, environment: processEnvironment(), patterns: Pattern.rule, credentials: credentials)
    loaded.warnings.forEach(warn)
    return loaded
  } catch {
    throw report(error, of: subject)
  }
}

func report(
  _ errors: ConfigErrors, of subject: String = "the configuration",
  by printError: (String) -> Void = { printLine($0) }
) -> CommandFailure {
  for warning in errors.warnings { printError("warning: \(warning)") }
  let count = errors.count
  return failure(
    "\(subject) has \(counted(count, "problem"))", status: ExitStatus.configuration,
    details: errors.problems.map { "\($0)" })
}

/// The default of `report`, whose parameter has the name of the function.
private func printLine(_ line: String) { printError(line) }
