// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics

/// Options of targets on the command line: keys of a check, the most usual ones under the names of curl(1).
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keys of a check for the targets, as in the file: 'timeout: 5s, expect: {status: 204}'. Secrets as ${env:NAME} or ${file:path}.",
      valueName: "keys"))
  var with: String?

  @Option(
    name: [.customShort("H", allowingJoined: true), .customLong("header")],
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A request header, 'Name: value'; never shown. Secrets as ${env:NAME} or ${file:path}. May be repeated.",
      valueName: "header"))
  var headers: [String] = []

  @Option(
    name: [.customShort("X", allowingJoined: true), .customLong("request")],
    help: ArgumentHelp("The request's method. Default: GET, with -d POST.", valueName: "method"))
  var method: String?

  @Option(
    name: [.customShort("d", allowingJoined: true), .customLong("data")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The request's body, a form unless -H 'Content-Type: …' says what it is; @file sends the file as it is. More than one are joined by &.",
      valueName: "data"))
  var data: [String] = []

  @Flag(
    name: [.customShort("k"), .customLong("insecure")],
    help: "Note a bad certificate, but do not fail for it.")
  var insecure = false

  @Option(help: ArgumentHelp("Of a whole attempt, such as 5s. Default: 10s.", valueName: "duration"))
  var timeout: String?

  @Option(help: ArgumentHelp("Attempts after the first that failed. Default: 0.", valueName: "count"))
  var retries: Int?

  @Option(
    help: ArgumentHelp(
      "Ask these name servers for each dns target, and the one it names, such as 1.1.1.1,9.9.9.9, and compare the answers.",
      valueName: "servers"))
  var servers: String?

  var shortcuts: AdHocShortcuts {
    var shortcuts = AdHocShortcuts()
    (shortcuts.headers, shortcuts.method, shortcuts.data) = (headers, method, data)
    (shortcuts.isInsecure, shortcuts.timeout, shortcuts.retries) = (insecure, timeout, retries)
    return shortcuts
  }
}
