// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Sends messages to receivers.
package protocol MessageSending: Sendable {
  /// - Parameter recipients: of a mail, those who are to get it; `nil`: all.
  func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async -> SendOutcome
}

/// Sends messages: by HTTP, by mail, or to a program. Where to is written in the administrator's file alone, and the
/// administrator's rules of `egress` hold for it.
package struct ChannelSender: MessageSending {
  let outbound: Outbound
  let rules: OutboundRules
  private let warn: @Sendable (_ words: String) -> Void

  var time: TimeSource { outbound.time }

  /// Bytes of an answer that are looked at.
  private static let answer = 4096

  /// - Parameter warn: what the operator should know of a message that was sent all the same.
  package init(
    _ outbound: Outbound, _ rules: OutboundRules, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.outbound, self.rules, self.warn) = (outbound, rules, warn)
  }

  package func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]? = nil) async
    -> SendOutcome
  {
    await attempt(message, by: channel, to: recipients).outcome
  }

  /// The outcome, and the receiver's answer in one line; `nil` when there is none to show.
  package func attempt(
    _ message: AlertMessage, by channel: AlertChannel, to recipients: [String]? = nil
  ) async -> (outcome: SendOutcome, answer: String?) {
    switch channel.kind {
    case .webhook(let webhook):
      let body = WebhookBody(message, channel.template)
      let first = await post(message, body.render(webhook), webhook, channel)
      // What tries a receiver that keeps state leaves nothing open there.
      guard message.isSample, webhook.format == .pagerduty, first.0 == .delivered else { return first }
      let end = WebhookBody(message, channel.template, endsTest: true)
      return await post(message, end.render(webhook), webhook, channel)
    case .mail(let mail): return (await send(message, mail, channel, to: recipients), nil)
    case .exec(let exec): return await run(message, exec, channel)
    }
  }

  /// The notification as a channel would be sent it, without its secrets.
  package static func shown(_ message: AlertMessage, _ channel: AlertChannel) -> String {
    switch channel.kind {
    case .webhook(var webhook):
      if webhook.routingKey != nil { webhook.routingKey = Redacted(Redacted.mark) }
      return String(decoding: WebhookBody(message, channel.template).render(webhook), as: UTF8.self)
    case .mail(let mail):
      return String(decoding: MailText(message, channel.template, mail, now: message.at).bytes, as: UTF8.self)
    case .exec:
      var json = JSONWriter(reserving: 2048)
      message.write(to: &json)
      return json.text
    }
  }

  private func post(
    _ message: AlertMessage, _ body: [UInt8], _ webhook: WebhookChannel, _ channel: AlertChannel
  ) async -> (SendOutcome, String?) {
    guard let reply = try? await outbound.ask(request(message, body, webhook, channel), rules) else {
      return (.failed("stopped"), nil)
    }
    return (judge(reply, webhook), reply.head.map(WebhookAnswer(webhook).line))
  }

  /// Asks an address by GET, where only the status counts.
  package func call(_ url: HTTPURL, timeout: Duration) async -> SendOutcome {
    var request = TransferRequest(url: url.text, timeout: timeout, goal: .drain(limit: Self.answer))
    request.origin = WorkOrigin(.deadManSwitches, named: url.text)
    guard let reply = try? await outbound.ask(request, rules) else { return .failed("stopped") }
    return judge(reply, WebhookChannel(url: url, format: .json))
  }

  func request(
    _ message: AlertMessage, _ body: [UInt8], _ webhook: WebhookChannel, _ channel: AlertChannel
  ) -> TransferRequest {
    // The topic is in the body; what it is sent to is the server.
    let url =
      webhook.format == .ntfy ? "\(webhook.url.scheme.rawValue)://\(webhook.url.endpoint)/" : webhook.url.text
    var request = TransferRequest(
      url: url, timeout: channel.timeout, goal: .body(limit: Self.answer), method: webhook.method,
      headers: [
        HeaderField("Content-Type", "application/json"),
        // Who has it already may leave it out.
        HeaderField("X-Quartz-Message", message.id.description),
      ] + webhook.headers)
    request.body = body
    request.origin = WorkOrigin(.notifications, named: channel.name)
    request.tls.caFile = webhook.caFile
    return request
  }

  private func judge(
    _ reply: Result<OutboundAnswer, OutboundFailure>, _ webhook: WebhookChannel
  ) -> SendOutcome {
    // The head is the answer, however its body ends: a 200 that hangs afterwards was a 200, and must not be told twice.
    switch reply {
    case .success(let answer): judge(answer, webhook)
    case .failure(let failure): failure.head.map { judge($0, webhook) } ?? SendOutcome(failure)
    }
  }

  func judge(_ answer: OutboundAnswer, _ webhook: WebhookChannel) -> SendOutcome {
    let place = webhook.url.endpoint.description
    let status = answer.status
    switch status {
    case 200...299: return .delivered
    case 408, 425, 429, 500...599:
      // A date is meant as the receiver's own clock has it.
      let now = answer.header("date").flatMap { HTTPDate.parse($0) } ?? time.wall()
      let wait = answer.header("retry-after").flatMap { RetryTime.wait($0, now: now) }
      return .failed("\(place) answered \(status)", retryAfter: wait)
    case 300...399:
      return .failed("\(place) answered \(status): a redirect is not followed, write where it leads")
    // What it says of the content, and not of who may send it or where to.
    case 400, 411, 413, 414, 415, 422, 431:
      return .refused("\(place) answered \(WebhookAnswer(webhook).line(of: answer))")
    default: return .failed("\(place) answered \(status)")
    }
  }
}

extension SendOutcome {
  /// Refused when a rule forbids it; retried soon when no connection was made.
  init(_ failure: OutboundFailure) {
    switch failure.kind {
    case .forbidden: self = .refused(failure.words)
    case .unresolved, .unreachable: self = .failed(failure.words, isUnreachable: true)
    case .handshake, .broken: self = .failed(failure.words)
    }
  }
}

extension ChannelSender {
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

  func outcome(of end: ProgramRun.End, _ exec: ExecChannel, _ channel: AlertChannel) -> SendOutcome {
    switch end {
    case .ended(code: 0, _): return .delivered
    case .ended(let code, let output):
      return .failed("\(exec.command[0]) exited with status \(code)\(output.isEmpty ? "" : ": \(output)")")
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
