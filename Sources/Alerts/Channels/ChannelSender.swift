// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// A way out for messages.
package protocol MessageSending: Sendable {
  func send(_ message: AlertMessage, by channel: AlertChannel) async -> SendOutcome
}

/// Sends messages: by HTTP over the engine that probes use, by mail over libcurl, or to a program. Where to is written in
/// the administrator's file alone, and the administrator's rules of `egress` hold for it.
package struct ChannelSender: MessageSending {
  /// The addresses of a host that may be dialled, best first; or why there is none, in words.
  package typealias Find =
    @Sendable (_ host: String, _ port: UInt16) async -> Result<[IPAddress], ChannelProblem>

  private let engine: CurlEngine
  private let find: Find
  private let userAgent: String
  private let time: TimeSource
  private let warn: @Sendable (_ words: String) -> Void

  /// Bytes of an answer that are looked at.
  private static let answer = 4096

  /// - Parameter warn: what the operator should know of a message that was sent all the same.
  package init(
    engine: CurlEngine, userAgent: String, time: TimeSource,
    warn: @escaping @Sendable (String) -> Void = { _ in },
    find: @escaping Find
  ) {
    (self.engine, self.userAgent, self.time, self.find, self.warn) = (engine, userAgent, time, find, warn)
  }

  package func send(_ message: AlertMessage, by channel: AlertChannel) async -> SendOutcome {
    await attempt(message, by: channel).outcome
  }

  /// What became of it, and what the receiver said in one line; nil: nothing that is worth a line.
  package func attempt(
    _ message: AlertMessage, by channel: AlertChannel
  ) async -> (outcome: SendOutcome, answer: String?) {
    switch channel.kind {
    case .webhook(let webhook): await post(message, webhook, channel)
    case .mail(let mail): (await send(message, mail, channel), nil)
    case .exec(let exec): await run(message, exec, channel)
    }
  }

  private func post(
    _ message: AlertMessage, _ webhook: WebhookChannel, _ channel: AlertChannel
  ) async -> (SendOutcome, String?) {
    let addresses: [IPAddress]
    switch await find(webhook.url.host, webhook.url.port) {
    case .failure(let problem): return (problem.outcome, nil)
    case .success(let found): addresses = found
    }
    let places = addresses.map { SocketAddress($0, port: webhook.url.port) }
    guard !places.isEmpty else { return (.failed("\(webhook.url.host) has no address"), nil) }
    guard let report = try? await engine.perform(request(message, webhook, channel), at: places) else {
      return (.failed("stopped"), nil)
    }
    return (judge(report, webhook.url), WebhookAnswer(webhook).line(of: report))
  }

  /// Asks an address by GET, where only the status counts.
  package func call(_ url: HTTPURL, timeout: Duration) async -> SendOutcome {
    let addresses: [IPAddress]
    switch await find(url.host, url.port) {
    case .failure(let problem): return problem.outcome
    case .success(let found): addresses = found
    }
    let places = addresses.map { SocketAddress($0, port: url.port) }
    guard !places.isEmpty else { return .failed("\(url.host) has no address") }
    var request = TransferRequest(
      url: url.text, timeout: timeout, goal: .drain(limit: Self.answer),
      headers: [HeaderField("User-Agent", userAgent)])
    request.httpVersion = .http11
    request.origin = WorkOrigin(.deadManSwitches)
    guard let report = try? await engine.perform(request, at: places) else { return .failed("stopped") }
    return judge(report, url)
  }

  private func request(
    _ message: AlertMessage, _ webhook: WebhookChannel, _ channel: AlertChannel
  ) -> TransferRequest {
    // The topic is in the body; what it is sent to is the server.
    let url =
      webhook.format == .ntfy ? "\(webhook.url.scheme.rawValue)://\(webhook.url.endpoint)/" : webhook.url.text
    var request = TransferRequest(
      url: url, timeout: channel.timeout, goal: .body(limit: Self.answer), method: webhook.method,
      headers: [
        HeaderField("User-Agent", userAgent), HeaderField("Content-Type", "application/json"),
        // Who has it already may leave it out.
        HeaderField("X-Quartz-Message", message.id.description),
      ] + webhook.headers)
    request.body = WebhookBody(message, channel.template).render(webhook)
    request.httpVersion = .http11
    request.origin = WorkOrigin(.notifications)
    request.tls.caFile = webhook.caFile
    return request
  }

  private func judge(_ report: TransferReport, _ url: HTTPURL) -> SendOutcome {
    let place = url.endpoint.description
    // The head is the answer, however its body ends: a 200 that hangs afterwards was a 200, and must not be told twice.
    guard let status = report.statusCode else {
      return .failed("\(place): \(report.failure?.message ?? "no answer came")")
    }
    switch status {
    case 200...299: return .delivered
    case 408, 425, 429, 500...599:
      // A date is meant as the receiver's own clock has it.
      let now = report.header("date").flatMap { HTTPDate.parse($0) } ?? time.wall()
      let wait = report.header("retry-after").flatMap { RetryTime.wait($0, now: now) }
      return .failed("\(place) answered \(status)", retryAfter: wait)
    case 300...399:
      return .refused("\(place) answered \(status): a redirect is not followed, write where it leads")
    default: return .refused("\(place) answered \(status)")
    }
  }
}

/// Why nothing can be sent, in words without secrets.
package struct ChannelProblem: Error, Hashable, Sendable {
  package var message: String
  /// It will be so later, too: a rule forbids it.
  package var isFinal: Bool

  package init(_ message: String, isFinal: Bool = false) {
    (self.message, self.isFinal) = (message, isFinal)
  }

  fileprivate var outcome: SendOutcome { isFinal ? .refused(message) : .failed(message) }
}

extension ChannelSender {
  private func send(_ message: AlertMessage, _ mail: MailChannel, _ channel: AlertChannel) async
    -> SendOutcome
  {
    let addresses: [IPAddress]
    switch await find(mail.server.host, mail.server.port) {
    case .failure(let problem): return problem.outcome
    case .success(let found): addresses = found
    }
    guard let address = addresses.first else { return .failed("\(mail.server.host) has no address") }
    var transfer = MailTransfer(
      host: mail.server.host, address: SocketAddress(address, port: mail.server.port),
      security: mail.security == .implicit ? .implicit : mail.security == .starttls ? .startTLS : .none,
      sender: mail.sender, recipients: mail.recipients,
      content: MailText(message, channel.template, mail, now: time.wall()).bytes)
    transfer.otherAddresses = addresses.dropFirst().map { SocketAddress($0, port: mail.server.port) }
    (transfer.username, transfer.password, transfer.caFile) = (mail.username, mail.password, mail.caFile)
    transfer.timeout = channel.timeout
    switch await transfer.send(time: time) {
    case .taken: return .delivered
    case .answered(let code) where (500...599).contains(code):
      return .refused("\(mail.server) answered \(code)")
    case .answered(let code): return .failed("\(mail.server) answered \(code)")
    case .failed(let why): return .failed("\(mail.server): \(why)")
    }
  }

  private func run(
    _ message: AlertMessage, _ exec: ExecChannel, _ channel: AlertChannel
  ) async -> (SendOutcome, String?) {
    var json = JSONWriter(reserving: 2048)
    message.write(to: &json)
    let input = json.bytes
    let run = ProgramRun(command: exec.command, input: input, timeout: channel.timeout, time: time)
    let (end, left) = await run.perform()
    if left > 0 { warn("\(left) processes that \(exec.command[0]) started could not be ended") }
    if case .ended(code: 0, let output) = end { return (.delivered, output.isEmpty ? nil : output) }
    return (outcome(of: end, exec, channel), nil)
  }

  private func outcome(of end: ProgramRun.End, _ exec: ExecChannel, _ channel: AlertChannel) -> SendOutcome {
    switch end {
    case .ended(code: 0, _): return .delivered
    case .ended(let code, let output):
      return .failed("\(exec.command[0]) ended with \(code)\(output.isEmpty ? "" : ": \(output)")")
    case .killed(let signal): return .failed("\(exec.command[0]) was ended by signal \(signal)")
    case .timedOut:
      return .failed("\(exec.command[0]) took longer than \(channel.timeout.text) and was ended")
    case .stopped: return .failed("\(exec.command[0]) was ended: stopped meanwhile")
    case .notStarted(let why, isFinal: true): return .refused("\(exec.command[0]) cannot be started: \(why)")
    // A machine that is out of processes may have some later.
    case .notStarted(let why, isFinal: false): return .failed("\(exec.command[0]) cannot be started: \(why)")
    }
  }
}
