// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Monitoring

/// Error for a word that is neither a target nor a check's name, with the likely meaning.
func noTarget(_ name: String, _ why: String) -> CommandFailure {
  usageFailure("\(shownWord(name)) is no target, and \(why)", hint: targetHint(name))
}

/// The same where there is a configuration. Checks of the API are in none: the running agent alone has them.
func noCheck(_ name: String, in settings: Settings) -> CommandFailure {
  if UniqueID(name) != nil {
    return usageFailure(
      "no configured check has the id \(name)",
      hint: settings.pullsChecks ? apiChecksHint : "quartz-agent once without a name runs all of them")
  }
  return usageFailure(
    "\(shownWord(name)) is neither a target nor the name of a configured check",
    hint: [settings.pullsChecks ? apiChecksHint : nil, targetHint(name)].compactMap(\.self).joined(
      separator: "; "))
}

extension OnceSelection {
  /// Why no check was run, and the next step where there is one.
  var nothingRun: String {
    guard let settings, settings.checks.isEmpty else { return "nothing was run: no check is enabled" }
    return "nothing was run: the configuration has no check"
      + (settings.pullsChecks ? "\n  hint: \(apiChecksHint)" : "")
  }
}

extension Settings {
  fileprivate var pullsChecks: Bool { quartz?.checks.pull == true }
}

private let apiChecksHint = "checks of the API are run by the agent, see quartz-agent status"

private func usageFailure(_ message: String, hint: String) -> CommandFailure {
  failure(message, hint: hint, status: ExitCode.validationFailure.rawValue)
}

private func shownWord(_ name: String) -> String { "\"\(withoutLogin(name).printable(maxBytes: 200))\"" }

private func targetHint(_ name: String) -> String {
  let shown = name.printable(maxBytes: 100)
  let host = name.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && !"@\"'\\".utf8.contains($0) }) else {
    return "targets look like https://host/path, tcp://host:port, tls://host, dns://server/name, ping://host"
  }
  var proposals = ["quartz-agent once \(shellWord("https://" + shown))"]
  if host.count == name.count, !host.contains(":") {
    proposals.append("quartz-agent once \(shellWord("ping://" + shown))")
  }
  return "did you mean \(proposals.joined(separator: ", or "))"
}
