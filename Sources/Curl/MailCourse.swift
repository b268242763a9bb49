// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Synchronization

/// One mail under way: what the thread inside libcurl and the task that waits for the outcome share.
///
/// libcurl says QUIT when it closes a connection and waits for the reply inside the call: two minutes, or for as long as
/// the server sends something. So the outcome is told when it is known, not when libcurl returns, and every wait of
/// libcurl ends with the socket: shut down, each call on it returns at once.
final class MailCourse: Sendable {
  private struct State {
    /// The open socket; -1: none.
    var socket: Int32 = -1
    /// No socket is opened any more.
    var isCut = false
    /// The server is given the end of the mail: its next reply is the outcome.
    var isHandedOver = false
    var isLeaving = false
    /// The reply to the mail is here: none after it counts.
    var isJudged = false
    var lines = MailReplyLines()
    /// The last reply before the farewell that refused something.
    var refusal: MailReply?

    /// With the lock, so that the number cannot be another's by now.
    mutating func cut() {
      isCut = true
      if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }  // bounded: a constant
    }
  }

  /// From QUIT, or from the outcome, to the end of the connection, at most.
  static let farewell: Duration = .seconds(2)
  /// How long a cancelled task waits for the reply to a mail that has been handed over.
  static let patience: Duration = .seconds(3)
  /// Time beyond the timeout that libcurl gets to return by itself.
  static let allowance: Duration = .seconds(1)

  private let state = Mutex(State())
  private let end = FirstAnswer<MailTransfer.End>()
  private let time: TimeSource

  private let secrets: KnownSecrets

  /// - Parameter secrets: those that the server is given, and that its replies may repeat.
  init(time: TimeSource, secrets: KnownSecrets = KnownSecrets([])) {
    (self.time, self.secrets) = (time, secrets)
  }

  /// The server's reply to what it refused last, where it had this code.
  func refusal(_ code: Int) -> MailReply {
    state.withLock { $0.refusal?.code == code ? $0.refusal : nil } ?? MailReply(code)
  }

  /// Waits for the outcome.
  ///
  /// - Parameter start: starts the thread of the transfer; false when there is none to be had.
  func outcome(within limit: Duration, _ start: () -> Bool) async -> MailTransfer.End {
    await end.wait {
      guard start() else { return settle(.failed("no thread to send it with")) }
      // bounded: settings of minutes at most
      after(limit + Self.allowance) { $0.stop(.failed("no reply within \(limit.text)")) }
    }
  }

  /// The first outcome counts; later ones change nothing.
  func settle(_ end: MailTransfer.End) {
    self.end.give(end)
    leave()
  }

  /// The task that waits is cancelled.
  func cancel() {
    let isHandedOver = state.withLock { state in
      if !state.isHandedOver { state.cut() }
      return state.isHandedOver
    }
    guard isHandedOver else { return settle(.failed("stopped")) }
    after(Self.patience) { $0.stop(.failed("stopped while the reply to the mail was due")) }
  }

  private func stop(_ end: MailTransfer.End) {
    settle(end)
    state.withLock { $0.cut() }
  }

  /// The connection is being closed, and gets a moment for it.
  private func leave() {
    let isFirst = state.withLock { state in
      defer { state.isLeaving = true }
      return !state.isLeaving
    }
    if isFirst { after(Self.farewell) { course in course.state.withLock { $0.cut() } } }
  }

  private func after(_ span: Duration, _ body: @escaping @Sendable (MailCourse) -> Void) {
    Task { [time] in
      if (try? await time.sleep(for: span)) != nil { body(self) }
    }
  }
}

// What libcurl tells on the thread of the transfer.
extension MailCourse {
  /// A mail that was cut is not handed over: its end does not reach the server.
  func noteEndOfContent() { state.withLock { $0.isHandedOver = !$0.isCut } }

  /// One line of the server's.
  fileprivate func note(reply line: UnsafeRawBufferPointer) {
    guard let (reply, isHandedOver) = reply(line), isHandedOver else { return }
    switch reply.code {
    case 200...299: settle(.taken)
    case 400...599: settle(.answered(reply))
    default: settle(.failed("an unexpected reply to the mail: \(reply.line)"))
    }
  }

  /// The reply that a line completes, and whether it is the one to the mail.
  private func reply(_ line: UnsafeRawBufferPointer) -> (MailReply, isHandedOver: Bool)? {
    state.withLock { state in
      // A server may flood the farewell with more of them.
      guard !state.isJudged, state.isHandedOver || !state.isLeaving,
        let (code, text) = state.lines.take(line),
        state.isHandedOver || code >= 400
      else { return nil }
      let reply = MailReply(code, text, secrets)
      if code >= 400, !state.isLeaving { state.refusal = reply }
      state.isJudged = state.isHandedOver
      return (reply, state.isHandedOver)
    }
  }

  fileprivate func note(command line: UnsafeRawBufferPointer) {
    if line.starts(with: "QUIT".utf8) { leave() }
  }

  fileprivate func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)  // bounded: a constant
    let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
    guard descriptor >= 0 else { return CURL_SOCKET_BAD }
    let isCut = state.withLock { state in
      if !state.isCut { state.socket = descriptor }
      return state.isCut
    }
    guard isCut else { return descriptor }
    _ = Glibc.close(descriptor)
    return CURL_SOCKET_BAD
  }

  fileprivate func close(_ descriptor: curl_socket_t) -> Int32 {
    state.withLock { state in
      if state.socket == descriptor { state.socket = -1 }
    }
    return Glibc.close(descriptor)
  }

  /// Must outlive the handle.
  func attach(to easy: UnsafeMutableRawPointer) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let codes = [
      quartz_curl_set_open_socket(easy, openMailSocket),
      quartz_curl_set_context(easy, CURLOPT_OPENSOCKETDATA, context),
      quartz_curl_set_close_socket(easy, closeMailSocket),
      quartz_curl_set_context(easy, CURLOPT_CLOSESOCKETDATA, context),
      quartz_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, takeMailReply),
      quartz_curl_set_context(easy, CURLOPT_HEADERDATA, context),
      quartz_curl_set_debug_callback(easy, noteMailCommand, context),
      quartz_curl_set_long(easy, CURLOPT_VERBOSE, 1),
    ]
    return codes.allSatisfy { $0 == CURLE_OK }
  }
}

private func course(_ context: UnsafeMutableRawPointer) -> MailCourse {
  Unmanaged<MailCourse>.fromOpaque(context).takeUnretainedValue()
}

/// CURLOPT_HEADERFUNCTION, which gets the lines of SMTP's replies.
private func takeMailReply(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let (length, isWide) = size.multipliedReportingOverflow(by: count)
  guard let bytes, let context, !isWide else { return 0 }
  course(context).note(reply: UnsafeRawBufferPointer(start: bytes, count: length))
  return length
}

/// CURLOPT_DEBUGFUNCTION: what libcurl says. Nothing of it is kept: a login is among it.
private func noteMailCommand(
  _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard kind == CURLINFO_HEADER_OUT, let bytes, let context else { return 0 }
  course(context).note(command: UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

/// CURLOPT_OPENSOCKETFUNCTION.
private func openMailSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return CURL_SOCKET_BAD }
  return course(context).open(address)
}

/// CURLOPT_CLOSESOCKETFUNCTION.
private func closeMailSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
  guard let context else { return close(descriptor) }
  return course(context).close(descriptor)
}
