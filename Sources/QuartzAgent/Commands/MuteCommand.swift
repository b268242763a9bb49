// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Status

/// `quartz-agent mute`: mutes notifications for checks for a while.
struct MuteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute",
    abstract: "Mute notifications for a check, a tag or everything until the mute expires.",
    discussion: """
      Failures are shown and count as ever; only notifications are held. A failure that lasts when the mute ends is sent \
      then. For time that must not count as downtime there is `quartz-agent maintenance`.

      quartz-agent mute 'Shop front' 30m --why deploy; quartz-agent mute tag:db 2h; quartz-agent mute all 10m

      \(AgentExitCodes.ordered)
      """)

  @Argument(
    help: ArgumentHelp("Name or id of a check, tag: and a tag, or all.", valueName: "target"),
    completion: NameCompletion.targets)
  var target: String

  @Argument(help: ArgumentHelp("Duration, such as 30m; at most 30d.", valueName: "time"))
  var length: Duration

  @OptionGroup var order: OrderOptions
  @OptionGroup var agent: AgentOptions

  func validate() throws { try requireName(target, "a check, tag: and a tag, or all") }

  func run() async throws {
    try await agent.client().order(
      "mutes", ["target=\(percentEncoded(target))", "for=\(length.text)"] + order.items)
  }
}

/// `quartz-agent unmute`.
struct UnmuteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "End a mute early.", discussion: AgentExitCodes.ordered)

  @Argument(
    help: ArgumentHelp("The muted target, or the id that mute printed.", valueName: "target"),
    completion: NameCompletion.targets)
  var target: String

  @OptionGroup var order: OrderOptions
  @OptionGroup var agent: AgentOptions

  func validate() throws { try requireName(target, "the muted target, or the id that mute printed") }

  func run() async throws {
    try await agent.client().order("mutes/\(percentEncoded(target))/end", order.items)
  }
}

/// `quartz-agent maintenance`: windows opened and closed by hand.
struct MaintenanceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "maintenance",
    abstract: "Start and end a maintenance window by hand, as around a deployment.",
    discussion: """
      Failures in a window are shown, but are no downtime and send no notifications.

      \(AgentExitCodes.ordered)
      """,
    subcommands: [Start.self, End.self, List.self])

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Start a window now.")

    @Argument(
      help: ArgumentHelp("Name or id of a check, tag: and a tag, or all.", valueName: "target"),
      completion: NameCompletion.targets)
    var target: String

    @Argument(help: ArgumentHelp("Longest duration, such as 30m.", valueName: "time"))
    var length: Duration

    @Flag(help: "Do not probe during the window.")
    var skip = false

    @OptionGroup var order: OrderOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws { try requireName(target, "a check, tag: and a tag, or all") }

    func run() async throws {
      let items = ["target=\(percentEncoded(target))", "for=\(length.text)"] + (skip ? ["skip=true"] : [])
      try await agent.client().order("maintenance", items + order.items)
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End a window early.")

    @Argument(
      help: ArgumentHelp("The target of the window, or the id that start printed.", valueName: "target"),
      completion: NameCompletion.targets)
    var target: String

    @OptionGroup var order: OrderOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws {
      try requireName(target, "the target of the window, or the id that start printed")
    }

    func run() async throws {
      try await agent.client().order("maintenance/\(percentEncoded(target))/end", order.items)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show active and coming windows, and mutes.")

    @OptionGroup var agent: AgentOptions

    func run() async throws {
      let client = try agent.client()
      let windows = try JSONValue.parse(try await client.ask("/api/v1/maintenance").utf8)["data"]
      let mutes = try JSONValue.parse(try await client.ask("/api/v1/mutes").utf8)["data"]
      printOutput(OrderText.windows(windows, mutes))
    }
  }
}

/// Orders as lines of a terminal.
enum OrderText {
  static func windows(_ windows: JSONValue?, _ mutes: JSONValue?) -> String {
    var lines: [String] = []
    let orders = windows?["by_hand"]?.array ?? []
    // An order is among the windows as well, under its reason.
    let own = Set(orders.map { Hours($0) })
    for window in windows?["windows"]?.array ?? [] where !own.contains(Hours(window)) {
      let (name, active) = (window["name"]?.string ?? "", window["active"]?.bool ?? false)
      let hours = "\(moment(window["from"])) to \(moment(window["until"]))"
      lines.append("\(active ? "maintenance" : "next       ")  \(name.printable(maxBytes: 60))  \(hours)")
    }
    for order in orders { lines.append("by hand      \(line(order))") }
    for mute in mutes?.array ?? [] { lines.append("muted        \(line(mute))") }
    return lines.isEmpty ? "no window, nothing muted\n" : lines.joined(separator: "\n") + "\n"
  }

  /// Begin and end of a window; those of an order are to the millisecond.
  private struct Hours: Hashable {
    let from: String
    let until: String

    init(_ window: JSONValue) {
      (from, until) = (window["from"]?.string ?? "", window["until"]?.string ?? "")
    }
  }

  private static func moment(_ value: JSONValue?) -> String {
    let text = value?.string ?? ""
    return Timestamp(rfc3339: text).map(IncidentStatus.Notification.moment) ?? text
  }

  private static func line(_ order: JSONValue) -> String {
    let id = order["id"]?.string?.suffix(6) ?? ""
    let by = order["by"]?.string.map { "by \($0)" }
    let words = [order["why"]?.string, by].compactMap(\.self)
    return
      "\(id)  \(order["target"]?.string?.printable(maxBytes: 60) ?? "")  until \(moment(order["until"]))"
      + (words.isEmpty ? "" : "  (\(words.joined(separator: ", ").printable(maxBytes: 200)))")
  }
}
