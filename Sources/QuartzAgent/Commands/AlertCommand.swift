// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Alerts
import ArgumentParser
import Basics
import Monitoring
import Network

/// `quartz-agent alert`: notification channels.
struct AlertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert", abstract: "Try notification channels, and explain their notifications.",
    subcommands: [Test.self, AlertExplainCommand.self])

  enum SampleKind: String, CaseIterable, ExpressibleByArgument {
    case test, opened, updated, resolved, digest

    var kind: AlertMessage.Kind {
      switch self {
      case .test: .test
      case .opened: .opened
      case .updated: .update
      case .resolved: .recovered
      case .digest: .digest
      }
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test notification by a channel of the configuration, or by all.",
      discussion: """
        No running agent is needed. Receivers that keep a state, PagerDuty and Alertmanager, get it as resolved at once. \
        A channel whose credential only the service can read is named and not tried. \
        Exit code: 0 when each channel accepted it, 3 when one did not, 64 for a channel \
        that does not exist, 78 for a wrong configuration, 130 stopped before the end.
        """)

    @Argument(
      help: ArgumentHelp("Names of channels; none: all.", valueName: "channel"),
      completion: NameCompletion.channels)
    var names: [String] = []

    @Option(help: "test, opened, updated, resolved or digest. Default: test.")
    var kind: SampleKind = .test

    @Flag(help: "Print the notification, and send nothing.")
    var print = false

    @OptionGroup var config: ConfigOptions

    func run() async throws {
      let path = try config.required()
      let settings = try loadSettings(path)
      guard let alerts = settings.alerts else {
        throw failure(
          "\(path) has no section alerts", hint: "see docs/alerts.md", status: ExitStatus.configuration)
      }
      let channels = try chosen(alerts.channels)
      let writer = MessageWriter(
        agent: settings.agent.name, region: settings.agent.region, pageURL: alerts.pageURL)
      if print {
        for channel in channels {
          let text = ChannelSender.shown(
            writer.sample(kind.kind, channel, now: TimeSource.system.wall()), channel)
          printOutput("\(channel.name):\n\(text)\n")
        }
        return
      }
      // A program that is under way ends with this command.
      let signals = processSignals(keepsIgnored: true)
      let kind = kind.kind
      let work = Task {
        try await sendSamples(by: channels, settings) { writer.sample(kind, $0, now: $1) }
      }
      let watch = Task {
        for await _ in signals { work.cancel() }
      }
      defer {
        watch.cancel()
        forgetProcessSignals()
      }
      let isTaken = try await work.value
      if work.isCancelled { throw ExitCode(ExitStatus.interrupted) }
      if !isTaken { throw ExitCode(ExitStatus.unknown) }
    }

    private func chosen(_ channels: [AlertChannel]) throws -> [AlertChannel] {
      guard !names.isEmpty else { return channels }
      return try names.map { name in
        guard let channel = channels.first(where: { $0.name == name }) else {
          let near = nearest(to: name, among: channels.map(\.name)).map { "did you mean \"\($0)\"?" }
          throw failure(
            "no channel is called \(quoted(name))",
            hint: near ?? "channels: \(channels.map(\.name).joined(separator: ", "))",
            status: ExitCode.validationFailure.rawValue)
        }
        return channel
      }
    }
  }
}

/// Sends a message by each of the channels, and prints what came of it.
///
/// - Returns: each channel accepted it.
func sendSamples(
  by channels: [AlertChannel], _ settings: Settings,
  _ message: @escaping @Sendable (AlertChannel, Timestamp) -> AlertMessage
) async throws -> Bool {
  try await withProbeEngine(egress: ProbeEgress(settings), time: .system) { engine in
    let sender = ChannelSender(engine.outbound, .egress(settings.egress)) { printError($0) }
    var isTaken = true
    for channel in channels where !Task.isCancelled {
      if let unread = channel.unread {
        printOutput("\(channel.name): not sent: \(unread.words)\n")
        isTaken = false
        continue
      }
      let (outcome, answer) = await sender.attempt(message(channel, engine.time.wall()), by: channel)
      printOutput("\(channel.name): \(outcome.words(channel, answer))\n")
      if outcome != .delivered { isTaken = false }
    }
    return isTaken
  }
}

extension SendOutcome {
  func words(_ channel: AlertChannel, _ answer: String?) -> String {
    let said = answer.map { " (it said: \($0))" } ?? ""
    return switch self {
    case .delivered: "delivered to \(channel.target)\(channel.acceptance)\(said)"
    case .deliveredBut(let why): "delivered, but not to all recipients: \(why)"
    case .partly(let why, let remaining, _, _):
      "not delivered to \(remaining.joined(separator: ", ")): \(why); the agent would retry for them"
    case .failed(let why, _, _): "not delivered: \(why)\(said); the agent would retry"
    case .refused(let why): "refused: \(why)\(said)"
    }
  }
}

extension AlertChannel {
  /// Of a mail, delivery ends at the server that accepted it.
  fileprivate var acceptance: String {
    if case .mail(let mail) = kind { " (accepted by \(mail.server))" } else { "" }
  }
}
