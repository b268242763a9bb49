// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Status

/// `quartz-agent group`: who shares the checks, who has what, and why it moved.
struct GroupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group",
    abstract: "Show the group of a running agent: members, their checks, and the latest moves.",
    discussion: AgentExitCodes.asked)

  @Flag(help: "Also list the owner of each check.")
  var checks = false

  @Option(help: "table, or json. Default: table.")
  var format: TableFormat = .table

  @OptionGroup var agent: AgentOptions

  func run() async throws {
    let text = try await agent.client().ask("/api/v1/group\(checks ? "?checks=true" : "")")
    guard format == .table else {
      printOutput(text)
      return
    }
    guard let group = try JSONValue.parse(text.utf8)["data"] else { return }
    printOutput(GroupText(width: Terminal().width).render(group))
  }
}

/// The group's document for people.
struct GroupText {
  let width: Int

  func render(_ group: JSONValue) -> String {
    var lines = headline(group).folded(width: width, hanging: 2, breaksWords: true)
    lines += [""] + members(group)
    let moves = (group["moves"]?.array ?? []).suffix(10).reversed().map(move)
    if !moves.isEmpty {
      lines += [""] + moves.flatMap { $0.folded(width: width, hanging: 22, breaksWords: true) }
    }
    if let placement = group["placement"]?.array { lines += [""] + self.placement(placement) }
    for problem in group["problems"]?.array ?? [] {
      lines += ["", "▲ \(text(problem, "what", 400))"].flatMap {
        $0.folded(width: width, hanging: 2, breaksWords: true)
      }
      if problem["hint"] != nil {
        lines += "  → \(text(problem, "hint", 400))".folded(width: width, hanging: 4, breaksWords: true)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func text(_ value: JSONValue, _ name: String, _ bytes: Int = 100) -> String {
    (value[name]?.string ?? "").printable(maxBytes: bytes)
  }

  private func number(_ value: JSONValue, _ name: String) -> Int { Int(clamping: value[name]?.integer ?? 0) }

  private func headline(_ group: JSONValue) -> String {
    var words = [
      "\(text(group, "name")), seen by \(text(group, "member"))",
      number(group, "view") == 0
        ? group["alone_since"] == nil ? "not in it yet" : "not reached since the start"
        : "view \(number(group, "view"))\(group["remembered_at"] == nil ? "" : " of before the start")",
      "\(StatusFormat.grouped(number(group, "owned"))) of \(StatusFormat.grouped(number(group, "checks"))) checks here",
    ]
    if number(group, "held") > 0 { words.append("\(number(group, "held")) run until their new owner does") }
    if number(group, "standing_in") > 0 { words.append("\(number(group, "standing_in")) stood in for") }
    if group["notified_by"] != nil { words.append("\(text(group, "notified_by")) notifies") }
    if group["alone_since"] != nil { words.append("alone since \(text(group, "alone_since"))") }
    return "group " + words.joined(separator: ", ")
  }

  private func members(_ group: JSONValue) -> [String] {
    let rows = (group["members"]?.array ?? []).map { member -> [TextTable.Cell] in
      var notes: [String] = []
      if member["self"]?.bool == true { notes.append("this agent") }
      if member["leaving"]?.bool == true { notes.append("leaving") }
      if member["apart"]?.bool == true { notes.append("other configuration") }
      let without = number(member, "without")
      if without > 0 { notes.append("refuses \(counted(without, "check"))") }
      if let ahead = member["clock_ahead_ms"]?.double, abs(ahead) > 1000 {
        let seconds = Int((min(1e9, abs(ahead)) / 1000).rounded())
        notes.append("clock \(seconds) s \(ahead > 0 ? "ahead" : "behind")")
      }
      return [
        .init(text(member, "name")), .init(text(member, "version", 40)),
        .init(String(number(member, "weight"))),
        .init(StatusFormat.grouped(number(member, "owns"))), .init(String(number(member, "applied"))),
        .init(notes.joined(separator: ", ")),
      ]
    }
    return TextTable(
      columns: [
        .flexible("MEMBER", least: 8, most: 40), .fixed("VERSION", 10, worth: 1),
        .fixed("WEIGHT", 6, right: true, worth: 2), .fixed("OWNS", 9, right: true, worth: 4),
        .fixed("APPLIED", 10, right: true, worth: 1), .flexible("", least: 10, most: 100),
      ],
      rows: rows, width: width, color: false
    ).lines
  }

  private func move(_ move: JSONValue) -> String {
    let at = text(move, "at", 40).prefix(19).replacing("T", with: " ")
    return "\(at)Z  \(text(move, "what", 200)) (view \(number(move, "view")))"
  }

  private func placement(_ checks: [JSONValue]) -> [String] {
    let rows = checks.map { check -> [TextTable.Cell] in
      [
        .init(text(check, "name", 200)), .init(text(check, "owner")), .init(text(check, "standby")),
        .init(check["here"]?.bool == true ? "yes" : ""),
      ]
    }
    return TextTable(
      columns: [
        .names("CHECK", least: 12, most: 60), .flexible("OWNER", least: 8, most: 30),
        .flexible("STANDBY", least: 8, most: 30), .fixed("HERE", 4, worth: 1),
      ],
      rows: rows, width: width, color: false
    ).lines
  }
}
