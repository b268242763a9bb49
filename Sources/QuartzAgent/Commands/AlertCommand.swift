// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import ArgumentParser
import Basics
import Monitoring

/// `quartz-agent alert`: try the channels.
struct AlertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert", abstract: "Try the channels that tell people.", subcommands: [Test.self])

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test message by a channel of the configuration, or by all.",
      discussion: """
        No running agent is needed, and none is told. Exit code: 0 when each channel took it, 3 when one did not, 78 for a \
        wrong configuration.
        """)

    @Argument(help: ArgumentHelp("Names of channels; none: all.", valueName: "channel"))
    var names: [String] = []

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
        agent: settings.agent.name, region: settings.agent.region, pageURL: alerts.pageURL
      ) { _ in [] }
      // A program that is under way ends with this command.
      let signals = processSignals(keepsIgnored: true)
      let work = Task { try await sendTest(by: channels, writer, settings) }
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
            status: ExitStatus.configuration)
        }
        return channel
      }
    }
  }
}

/// - Returns: each channel took it.
private func sendTest(
  by channels: [AlertChannel], _ writer: MessageWriter, _ settings: Settings
) async throws -> Bool {
  try await withProbeEngine(egress: ProbeEgress(settings), time: .system) { engine in
    let sender = ChannelSender(engine, settings.egress) { printError($0) }
    var generator = SystemRandomNumberGenerator()
    let message = writer.test(now: engine.time.wall(), using: &generator)
    var isTaken = true
    for channel in channels where !Task.isCancelled {
      let (outcome, answer) = await sender.attempt(message, by: channel)
      printOutput("\(channel.name): \(outcome.words(channel, answer))\n")
      if outcome != .delivered { isTaken = false }
    }
    return isTaken
  }
}

extension SendOutcome {
  fileprivate func words(_ channel: AlertChannel, _ answer: String?) -> String {
    let said = answer.map { " (it said: \($0))" } ?? ""
    return switch self {
    case .delivered: "taken by \(channel.target)\(said)"
    case .failed(let why, _): "not taken: \(why)\(said); the agent would try again"
    case .refused(let why): "refused: \(why)\(said)"
    }
  }
}
