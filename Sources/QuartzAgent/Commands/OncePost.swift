// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Monitoring
import QuartzAPI
import Spool
import StatusServer

/// Delivers what `once --post` found: through the running agent, whose store keeps it over an outage, else directly.
struct OncePost {
  private let settings: Settings
  /// `nil` where only the running agent can deliver, which has the credential.
  private let quartz: QuartzSettings?
  private let names: [UniqueID: String]

  /// Throws what to print when nothing of this selection can be delivered.
  init(_ selection: OnceSelection) throws {
    guard let settings = selection.settings else {
      throw failure(
        "--post needs a configuration: it says where results go",
        hint: "name it with --config, and its checks by name", status: ExitStatus.configuration)
    }
    let isElsewhere = settings.unread["quartz"] != nil
    guard isElsewhere || settings.delivers else {
      throw failure(
        "--post: this configuration delivers nothing: \(settings.quartz == nil ? "quartz" : "quartz.deliver.to") is not set",
        hint: "see quartz.deliver in docs/delivery.md", status: ExitStatus.configuration)
    }
    self.settings = settings
    quartz = isElsewhere ? nil : settings.quartz
    names = Dictionary(selection.checks.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Says on standard error what became of the results. True: all that may leave this machine have arrived, or are
  /// in the store of the running agent.
  func deliver(_ results: [CheckResult], _ engine: ProbeEngine) async throws -> Bool {
    let known = results.filter { $0.state != .unknown }
    if known.count < results.count {
      say(
        "\(counted(results.count - known.count, "result")) unknown: not delivered, it is no verdict about the target"
      )
    }
    guard !known.isEmpty else { return true }
    let records = known.map { DeliveryRecord($0, agent: settings.agent.name, flags: .post) }
    if let client = runningAgent(), let isDone = try await hand(records, to: client) { return isDone }
    return try await post(records, engine)
  }

  /// Where a running agent takes results: over its socket, or with the token.
  func runningAgent() -> AgentClient? {
    guard let client = AgentClient(settings.status) else { return nil }
    return client.address.isSocket || settings.status.runNowToken != nil ? client : nil
  }

  /// `nil` where no agent listens, so that nothing was handed over.
  private func hand(_ records: [DeliveryRecord], to client: AgentClient) async throws -> Bool? {
    var taken = 0
    var refused: [UniqueID] = []
    for start in stride(from: 0, to: records.count, by: RecordBundle.most) {
      let part = records[start..<min(start + RecordBundle.most, records.count)]
      guard let answer = try await client.hand(RecordBundle.encode(part), to: "/api/v1/spool/submit"),
        let document = try? JSONValue.parse(Array(answer.utf8))
      else { return start == 0 ? nil : false }
      taken = taken.bounded(plus: Int(clamping: document["taken"]?.integer ?? 0))
      refused += document["refused"]?.array?.compactMap { $0.uniqueID } ?? []
    }
    say("\(counted(taken, "result")) handed to the running agent, which delivers")
    for name in nameList(refused) {
      say(
        "\(name): the running agent does not deliver this check: the API does not list it and post is not set"
      )
    }
    return refused.isEmpty
  }

  private func post(_ records: [DeliveryRecord], _ engine: ProbeEngine) async throws -> Bool {
    guard let quartz else {
      let missing = settings.unread["quartz"].map(\.words) ?? ""
      say(
        "\(counted(records.count, "result")) not delivered: no running agent takes them, and quartz \(missing)"
      )
      return false
    }
    let handful = Handful(records)
    let link: QuartzLink
    do { link = try QuartzLink(quartz, settings, engine, handful) } catch {
      throw failure("\(error)", status: ExitStatus.configuration)
    }
    guard let uploader = link.uploader else { return false }
    let report = try await handful.post(by: uploader)
    if report.delivered > 0 {
      say("\(counted(report.delivered, "result")) delivered to \(quartz.url.display)")
    }
    for refusal in report.refused {
      say(
        "\(names[refusal.checkID] ?? refusal.checkID.description): refused by the receiver (\(refusal.code))")
    }
    if report.left > 0 {
      let why = report.trouble?.what ?? "the receiver did not take them in \(Handful.tries) tries"
      say("\(counted(report.left, "result")) not delivered: \(why)")
      if let hint = report.trouble?.hint { say("hint: \(hint)") }
    }
    return report.left == 0 && report.refused.isEmpty
  }

  private func nameList(_ ids: [UniqueID]) -> [String] {
    Set(ids).map { names[$0] ?? $0.description }.sorted()
  }

  private func say(_ text: String) { printError("quartz-agent: \(text.printable(maxBytes: 600))") }
}
