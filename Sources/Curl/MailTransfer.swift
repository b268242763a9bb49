// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// One mail, handed to one server by SMTP (RFC 5321), over libcurl.
package struct MailTransfer: Sendable {
  package enum Security: Hashable, Sendable {
    /// STARTTLS (RFC 3207); a server that does not offer it gets nothing.
    case startTLS
    case implicit
    case none
  }

  package enum End: Hashable, Sendable {
    case taken
    /// The server said no, in these words.
    case answered(MailReply)
    /// It came to no answer, and why.
    case failed(String)
  }

  package var host: String
  /// Address to dial; its host is the name that the certificate must have.
  package var address: SocketAddress
  /// Dialled where the one before takes no connection.
  package var otherAddresses: [SocketAddress] = []
  package var security: Security
  package var sender: String
  package var recipients: [String]
  /// Header and body as they are sent, lines ended by CR LF.
  package var content: [UInt8]
  package var username: String?
  package var password: Redacted?
  package var caFile: String?
  /// The name given in EHLO.
  package var hello = "localhost"
  /// Over everything.
  package var timeout: Duration = .seconds(10)

  package init(
    host: String, address: SocketAddress, security: Security, sender: String, recipients: [String],
    content: [UInt8]
  ) {
    (self.host, self.address, self.security) = (host, address, security)
    (self.sender, self.recipients, self.content) = (sender, recipients, content)
  }

  /// Sends it on a thread of its own. The reply to the data is the outcome (RFC 5321, section 4.2.5) and is returned at
  /// once: how the connection ends afterwards is not waited for, and is over after `MailCourse.farewell` at the latest.
  ///
  /// A cancelled task ends what the server has not been given whole; a reply that is due is still waited for a moment,
  /// so that no mail is sent twice.
  package func send(time: TimeSource) async -> End {
    let course = MailCourse(time: time, secrets: secrets)
    return await withTaskCancellationHandler {
      await course.outcome(within: timeout) { startThread { perform(course) } }
    } onCancel: {
      course.cancel()
    }
  }

  /// Blocks until the connection is closed.
  private func perform(_ course: MailCourse) {
    guard let easy = curl_easy_init() else { return course.settle(.failed("out of memory")) }
    let reader = MailReader(content, course)
    let lists = Lists()
    withExtendedLifetime((course, reader)) {
      if prepare(easy, reader, lists), course.attach(to: easy) {
        let code = curl_easy_perform(easy)
        course.settle(end(code, of: easy, course))
      } else {
        course.settle(.failed("libcurl cannot send mail this way"))
      }
      // Says QUIT and waits for the reply, until the course shuts the socket down.
      curl_easy_cleanup(easy)
    }
    lists.free()
  }

  /// The password, and what a login says with it (RFC 4616).
  private var secrets: KnownSecrets {
    guard let username, let password = password?.reveal() else { return KnownSecrets([]) }
    return KnownSecrets([password, "\0\(username)\0\(password)"])
  }

  private func end(_ code: CURLcode, of easy: UnsafeMutableRawPointer, _ course: MailCourse) -> End {
    if code == CURLE_OK { return .taken }
    var answer = 0
    _ = quartz_curl_info_long(easy, CURLINFO_RESPONSE_CODE, &answer)
    let reply = course.refusal(answer)
    if code == CURLE_LOGIN_DENIED { return .failed("the login is refused: \(reply.line)") }
    if code == CURLE_USE_SSL_FAILED {
      let said = answer >= 400 ? ": \(reply.line)" : ""
      return .failed("it does not offer TLS, and without it nothing is sent\(said)")
    }
    if answer >= 400 { return .answered(reply) }
    if code == CURLE_OPERATION_TIMEDOUT {
      var connected: Int64 = 0
      _ = quartz_curl_info_size(easy, CURLINFO_CONNECT_TIME_T, &connected)
      return .failed(ConnectionWords.overdue(connected > 0 ? .answer : .connection))
    }
    var system = 0
    _ = quartz_curl_info_long(easy, CURLINFO_OS_ERRNO, &system)
    if code == CURLE_COULDNT_CONNECT, system != 0 {
      return .failed(ConnectionWords.failed(Int32(clamping: system)))
    }
    return .failed(String(cString: curl_easy_strerror(code)))
  }

  private func prepare(_ easy: UnsafeMutableRawPointer, _ reader: MailReader, _ lists: Lists) -> Bool {
    let scheme = security == .implicit ? "smtps" : "smtp"
    let named = bracketed(host)
    lists.recipients = recipients.reduce(nil) { curl_slist_append($0, "<\($1)>") }
    let places = ([address] + otherAddresses).map(\.address.description)
    lists.places = curl_slist_append(nil, "\(host):\(address.port):\(places.joined(separator: ","))")
    var codes = [
      quartz_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
      // What stands behind the host is the name that it says of itself in EHLO.
      quartz_curl_set_string(easy, CURLOPT_URL, "\(scheme)://\(named):\(address.port)/\(hello)"),
      quartz_curl_set_list(easy, CURLOPT_RESOLVE, lists.places),
      quartz_curl_set_long(easy, CURLOPT_NOSIGNAL, 1),
      quartz_curl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, milliseconds(timeout))),
      quartz_curl_set_string(easy, CURLOPT_PROXY, ""),
      quartz_curl_set_string(easy, CURLOPT_MAIL_FROM, "<\(sender)>"),
      quartz_curl_set_list(easy, CURLOPT_MAIL_RCPT, lists.recipients),
      // One address that is no more must not keep the others from being told.
      quartz_curl_set_long(easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1),
      quartz_curl_set_read_callback(easy, readMail, Unmanaged.passUnretained(reader).toOpaque()),
      quartz_curl_set_long(easy, CURLOPT_UPLOAD, 1),
      quartz_curl_set_long(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
    ]
    if security == .startTLS {
      codes.append(quartz_curl_set_long(easy, CURLOPT_USE_SSL, quartz_curl_use_ssl_all()))
    }
    if let username, let password {
      codes.append(quartz_curl_set_string(easy, CURLOPT_USERNAME, username))
      codes.append(quartz_curl_set_string(easy, CURLOPT_PASSWORD, password.reveal()))
    }
    // Those that checks trust, and none that libcurl was built with.
    codes.append(quartz_curl_set_string(easy, CURLOPT_CAINFO, caFile ?? TrustStore.systemBundle))
    codes.append(quartz_curl_set_string(easy, CURLOPT_CAPATH, nil))
    return codes.allSatisfy { $0 == CURLE_OK }
  }

  /// Lists that libcurl keeps only a pointer to.
  private final class Lists {
    var recipients: UnsafeMutablePointer<curl_slist>?
    var places: UnsafeMutablePointer<curl_slist>?

    func free() {
      curl_slist_free_all(recipients)
      curl_slist_free_all(places)
    }
  }
}

/// The part of the mail that is still to be sent. Belongs to the thread of the transfer.
private final class MailReader {
  private let content: [UInt8]
  private let course: MailCourse
  private var place = 0

  init(_ content: [UInt8], _ course: MailCourse) { (self.content, self.course) = (content, course) }

  func read(into target: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
    let count = min(room, content.count - place)  // bounded: a place in memory
    guard count > 0 else {
      course.noteEndOfContent()
      return 0
    }
    let buffer = UnsafeMutableRawBufferPointer(start: target, count: count)
    buffer.copyBytes(from: content[place..<place + count])  // bounded: at most the count of bytes
    place += count
    return count
  }
}

/// CURLOPT_READFUNCTION.
private func readMail(
  _ target: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let target, let context else { return 0 }
  let reader = Unmanaged<MailReader>.fromOpaque(context).takeUnretainedValue()
  let (room, isWide) = size.multipliedReportingOverflow(by: count)
  return isWide ? 0 : reader.read(into: target, room)
}
