// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics

/// The manual, in the macros of man(7), made of what the commands and the keys of agent.yaml declare.
enum ManualPages {
  struct Page {
    /// As the file is called: `quartz-agent-once.1`.
    var name: String
    var text: String
  }

  /// One for the program, one for each command, one for the file.
  static func all() -> [Page] {
    guard let help = try? JSONValue.parse(QuartzAgentCommand._dumpHelp().utf8), let root = help["command"]
    else { return [] }
    let commands = (root["subcommands"]?.array ?? []).filter { Self.isShown($0) }
    var pages = [page(root, [root], others: commands)]
    pages += commands.map { page($0, [root, $0], others: []) }
    return pages + [keys()]
  }

  private static func isShown(_ command: JSONValue) -> Bool {
    command["shouldDisplay"]?.bool != false && command["commandName"]?.string != "help"
  }

  private static func page(_ command: JSONValue, _ way: [JSONValue], others: [JSONValue]) -> Page {
    let names = way.compactMap { $0["commandName"]?.string }
    let file = names.joined(separator: "-")
    var page = ManualText(title: file, section: 1)
    page.section("NAME")
    page.line("\(plain(file)) \\- \(plain(sentence(command["abstract"]?.string ?? "")))")
    page.section("SYNOPSIS")
    synopsis(command, names, &page)
    if let discussion = command["discussion"]?.string {
      page.section("DESCRIPTION")
      page.text(discussion)
    }
    if !others.isEmpty {
      page.section("COMMANDS")
      for other in others {
        guard let name = other["commandName"]?.string else { continue }
        page.item("\\fB\(plain(file + "-" + name))\\fR(1)", other["abstract"]?.string ?? "")
      }
    }
    options(of: command, &page)
    for part in command["subcommands"]?.array ?? [] where others.isEmpty && isShown(part) {
      subcommand(part, names, &page)
    }
    if command["commandName"]?.string == TestCommand._commandName {
      page.section("FILE OF CASES")
      for row in KeyDocs.cases { page.key(row) }
    }
    examples(names.last ?? "", &page)
    page.section("SEE ALSO")
    let pages =
      others.isEmpty
      ? ["quartz-agent(1)"] : others.compactMap { $0["commandName"]?.string }.map { "quartz-agent-\($0)(1)" }
    page.line(plain((pages + ["agent.yaml(5)"]).joined(separator: ", ")))
    return Page(name: "\(file).1", text: page.text)
  }

  private static func synopsis(_ command: JSONValue, _ names: [String], _ page: inout ManualText) {
    var line = "\\fB\(plain(names.joined(separator: " ")))\\fR"
    if !(command["subcommands"]?.array ?? []).filter({ isShown($0) }).isEmpty { line += " \\fIcommand\\fR" }
    line += " [\\fIoptions\\fR]"
    for argument in arguments(of: command, positional: true) {
      let name = "\\fI\(plain(argument["valueName"]?.string ?? ""))\\fR"
      let more = argument["isRepeating"]?.bool == true ? " ..." : ""
      line += argument["isOptional"]?.bool == true ? " [\(name)\(more)]" : " \(name)\(more)"
    }
    page.line(line)
  }

  private static func arguments(of command: JSONValue, positional: Bool) -> [JSONValue] {
    (command["arguments"]?.array ?? []).filter {
      $0["shouldDisplay"]?.bool != false && ($0["kind"]?.string == "positional") == positional
    }
  }

  private static func options(of command: JSONValue, _ page: inout ManualText) {
    let positional = arguments(of: command, positional: true)
    if !positional.isEmpty {
      page.section("ARGUMENTS")
      for argument in positional {
        page.item("\\fI\(plain(argument["valueName"]?.string ?? ""))\\fR", words(argument))
      }
    }
    page.section("OPTIONS")
    for option in arguments(of: command, positional: false) { page.item(label(option), words(option)) }
  }

  private static func subcommand(_ command: JSONValue, _ names: [String], _ page: inout ManualText) {
    let way = names + [command["commandName"]?.string ?? ""]
    let parts = (command["subcommands"]?.array ?? []).filter { isShown($0) }
    if !parts.isEmpty {
      for part in parts { subcommand(part, way, &page) }
      return
    }
    page.section(way.joined(separator: " "))
    page.text(command["abstract"]?.string ?? "")
    if let discussion = command["discussion"]?.string { page.text(discussion) }
    for option in arguments(of: command, positional: true) + arguments(of: command, positional: false)
    where !["help", "version"].contains(option["valueName"]?.string ?? "") {
      page.item(label(option), words(option))
    }
  }

  private static func label(_ option: JSONValue) -> String {
    let names = (option["names"]?.array ?? []).map { name in
      "\\fB\(plain((name["kind"]?.string == "short" ? "-" : "--") + (name["name"]?.string ?? "")))\\fR"
    }
    let value = "\\fI\(plain(option["valueName"]?.string ?? ""))\\fR"
    if names.isEmpty { return value }
    return names.joined(separator: ", ") + (option["kind"]?.string == "option" ? " \(value)" : "")
  }

  private static func words(_ argument: JSONValue) -> String {
    var words = argument["abstract"]?.string ?? ""
    if let fallback = argument["defaultValue"]?.string, !words.contains("Default:") {
      words += words.hasSuffix(".") ? " Default: \(fallback)." : " (default: \(fallback))"
    }
    return words
  }

  private static func examples(_ command: String, _ page: inout ManualText) {
    guard let examples = ManualExamples.all[ByteText(command)] else { return }
    page.section("EXAMPLES")
    for example in examples { page.example(example.words, example.command) }
  }

  /// For the list of names, which begins in lower case and has no full stop.
  private static func sentence(_ text: String) -> String {
    let text = text.hasSuffix(".") ? String(text.dropLast()) : text
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  private static func keys() -> Page {
    var page = ManualText(title: "agent.yaml", section: 5)
    page.section("NAME")
    page.line("agent.yaml \\- configuration of quartz\\-agent")
    page.section("DESCRIPTION")
    page.text(
      "The checks and settings of an agent, in YAML. An unknown key is an error, and so is a key given twice. Sizes, durations and shares have a unit: 64KiB, 30s, 90%."
    )
    page.text(
      "A value may be ${env:NAME}, ${file:/path} or ${cred:NAME}, which is a systemd credential; $${ is the text ${. quartz-agent validate reports problems with their place."
    )
    for (name, rows) in KeyDocs.sections {
      page.section(name)
      for row in rows { page.key(row) }
    }
    page.section("FILES")
    page.item(
      "\\fI./agent.yaml\\fR, \\fI/etc/quartz\\-agent/agent.yaml\\fR",
      "Read in this order, unless \\-\\-config names another.")
    page.section("EXAMPLES")
    page.code(ManualExamples.file)
    page.section("SEE ALSO")
    page.line("quartz\\-agent(1), quartz\\-agent\\-validate(1), quartz\\-agent\\-schema(1)")
    return Page(name: "agent.yaml.5", text: page.text)
  }
}

/// Escapes characters with a meaning in man(7), by its own names; all ASCII.
private func plain(_ text: String) -> String { ManualText.plain(text) }
