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
    /// The server said no, with this code.
    case answered(Int)
    /// It came to no answer, and why.
    case failed(String)
  }

  package var host: String
  /// What is dialled; the host is the name that its certificate must bear.
  package var address: SocketAddress
  package var security: Security
  package var sender: String
  package var recipients: [String]
  /// Header and body as they are sent, lines ended by CR LF.
  package var content: [UInt8]
  package var username: String?
  package var password: Redacted?
  package var caFile: String?
  /// Over everything.
  package var timeout: Duration = .seconds(10)

  package init(
    host: String, address: SocketAddress, security: Security, sender: String, recipients: [String],
    content: [UInt8]
  ) {
    (self.host, self.address, self.security) = (host, address, security)
    (self.sender, self.recipients, self.content) = (sender, recipients, content)
  }

  /// Blocks for the whole of it: for a thread of its own.
  package func perform() -> End {
    guard let easy = curl_easy_init() else { return .failed("out of memory") }
    defer { curl_easy_cleanup(easy) }
    let reader = MailReader(content)
    let lists = Lists()
    defer { lists.free() }
    guard prepare(easy, reader, lists) else { return .failed("libcurl cannot send mail this way") }
    let code = withExtendedLifetime(reader) { curl_easy_perform(easy) }
    if code == CURLE_OK { return .taken }
    var answer = 0
    _ = quartz_curl_info_long(easy, CURLINFO_RESPONSE_CODE, &answer)
    if code == CURLE_LOGIN_DENIED { return .failed("the login is refused (\(answer))") }
    if code == CURLE_USE_SSL_FAILED {
      return .failed("it does not offer TLS, and without it nothing is sent")
    }
    if answer >= 400 { return .answered(answer) }
    return .failed(String(cString: curl_easy_strerror(code)))
  }

  private func prepare(_ easy: UnsafeMutableRawPointer, _ reader: MailReader, _ lists: Lists) -> Bool {
    let scheme = security == .implicit ? "smtps" : "smtp"
    let named = host.contains(":") ? "[\(host)]" : host
    lists.recipients = recipients.reduce(nil) { curl_slist_append($0, "<\($1)>") }
    lists.places = curl_slist_append(nil, "\(host):\(address.port):\(address.address)")
    let milliseconds = Int(clamping: max(1, timeout.microseconds / 1000))
    var codes = [
      quartz_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
      // What stands behind the host is the name that it says of itself in EHLO.
      quartz_curl_set_string(easy, CURLOPT_URL, "\(scheme)://\(named):\(address.port)/localhost"),
      quartz_curl_set_list(easy, CURLOPT_RESOLVE, lists.places),
      quartz_curl_set_long(easy, CURLOPT_NOSIGNAL, 1),
      quartz_curl_set_long(easy, CURLOPT_TIMEOUT_MS, milliseconds),
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

  /// What libcurl keeps only a pointer to.
  private final class Lists {
    var recipients: UnsafeMutablePointer<curl_slist>?
    var places: UnsafeMutablePointer<curl_slist>?

    func free() {
      curl_slist_free_all(recipients)
      curl_slist_free_all(places)
    }
  }
}

/// What is still to be sent. Belongs to the thread of the transfer.
private final class MailReader {
  private let content: [UInt8]
  private var place = 0

  init(_ content: [UInt8]) { self.content = content }

  func read(into target: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
    let count = min(room, content.count - place)  // bounded: a place in memory
    guard count > 0 else { return 0 }
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
