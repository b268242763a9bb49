// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics

/// When output has colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

/// Colours of what is printed for people.
struct ColorOptions: ParsableArguments {
  @Option(
    help: """
      auto, always or never. auto: on a terminal that is not dumb, unless NO_COLOR is set; CLICOLOR_FORCE makes it always.
      """)
  var color: ColorChoice = .auto

  @Flag(help: "The same as --color never.")
  var noColor = false

  /// Whether this output has colours: options first, then NO_COLOR (no-color.org), then CLICOLOR_FORCE (bixense.com/clicolors),
  /// then the terminal.
  func isOn(for terminal: Terminal, environment: (String) -> String? = environmentVariable) -> Bool {
    if noColor || color == .never { return false }
    if color == .always { return true }
    if environment("NO_COLOR")?.isEmpty == false { return false }
    if let forced = environment("CLICOLOR_FORCE"), !forced.isEmpty, forced != "0" { return true }
    return terminal.isTerminal && environment("TERM") != "dumb"
  }
}
