// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A message as a mail (RFC 5322, RFC 2045 to 2047): text and HTML, both quoted-printable, one thread for each incident.
struct MailText {
  let bytes: [UInt8]

  init(_ message: AlertMessage, _ template: AlertTemplate, _ mail: MailChannel, now: Timestamp) {
    let text = MessageText(message, template)
    let domain = mail.sender.split(separator: "@").last.map(String.init) ?? "localhost"
    // Neither part can have this in it: an equals sign begins an escape there.
    let boundary = "=_\(message.id.description)"
    var lines = [
      "Date: \(Self.date(now))", "From: quartz-agent <\(mail.sender)>",
      "To: \(mail.recipients.joined(separator: ",\r\n "))",
      "Subject: \(Self.encodedWords(Self.subject(message, text)))",
      "Message-ID: <\(message.id.description)@\(domain)>",
      // RFC 3834: no vacation notice answers it.
      "Auto-Submitted: auto-generated", "List-Id: quartz-agent alerts <alerts.\(domain)>",
      "MIME-Version: 1.0",
    ]
    if ![.digest, .report, .test].contains(message.kind) {
      let thread = "<\(message.incident.description).incident@\(domain)>"
      lines += ["In-Reply-To: \(thread)", "References: \(thread)"]
    }
    lines.append("X-Quartz-Message: \(message.id.description)")
    if message.severity >= .high, message.kind == .opened { lines.append("Importance: high") }
    let file = message.report?.file
    let around = "\(boundary)+"
    if file != nil {
      lines += ["Content-Type: multipart/mixed;\r\n boundary=\"\(around)\"", "", "--\(around)"]
    }
    lines += ["Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"", ""]
    let html = MailHTML(message, text).render()
    let plain = ([text.title, ""] + text.lines).joined(separator: "\n")
    for (type, part) in [("plain", plain), ("html", html)] {
      lines += [
        "--\(boundary)", "Content-Type: text/\(type); charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable", "",
        Self.quotedPrintable(part),
      ]
    }
    lines += ["--\(boundary)--", ""]
    if let file { lines += ["--\(around)"] + Self.attachment(file) + ["--\(around)--", ""] }
    bytes = Array(lines.joined(separator: "\r\n").utf8)
  }

  /// RFC 2183; base64 in lines of 76 characters.
  private static func attachment(_ file: ReportContent.File) -> [String] {
    // bounded: 57 bytes are 76 characters
    let lines = stride(from: 0, to: file.bytes.count, by: 57).map {
      Base64.text(Array(file.bytes[$0..<min($0 + 57, file.bytes.count)]))
    }
    return [
      "Content-Type: \(file.type); charset=utf-8; name=\"\(file.name)\"",
      "Content-Disposition: attachment; filename=\"\(file.name)\"", "Content-Transfer-Encoding: base64", "",
    ] + lines
  }

  /// One for a thread, where no template says otherwise: mail programs part threads by it.
  private static func subject(_ message: AlertMessage, _ text: MessageText) -> String {
    guard text.template.title == nil, let thread = message.thread else { return text.title }
    return thread.printable(maxBytes: MessageText.maxTitle)
  }

  /// `Mon, 5 Jan 2026 00:00:00 +0000`.
  static func date(_ instant: Timestamp) -> String {
    let local = LocalTime(instant)
    let (year, month, day) = local.date
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return
      "\(days[local.weekday]), \(day) \(months[Int(month) - 1]) \(year) \(instant.rfc3339.dropFirst(11).prefix(8)) +0000"
  }

  /// RFC 2047, section 4.1: words of at most 75 characters; each is whole UTF-8.
  static func encodedWords(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }), text.utf8.count <= 60, !text.contains("=?") {
      return text
    }
    var words: [String] = []
    var current: [UInt8] = []
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if current.count + bytes.count > 42 {
        words.append(Base64.text(current))
        current = []
      }
      current += bytes
    }
    if !current.isEmpty { words.append(Base64.text(current)) }
    return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  /// Characters of a line before its soft break.
  private static let width = 75

  /// RFC 2045, section 6.7; lines of at most 76 characters, ended by CR LF.
  static func quotedPrintable(_ text: String) -> String {
    var result = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var column = 0
      let bytes = Array(line.utf8)
      for (place, byte) in bytes.enumerated() {
        let isLast = place == bytes.count - 1
        let isPlain = (0x21...0x7e).contains(byte) && byte != 0x3d || (byte == 0x20 && !isLast)
        // A dot at the begin of a line cannot end the mail at a server that does not undo its doubling.
        let isDot = byte == 0x2e && (column == 0 || column == Self.width)
        let piece = isPlain && !isDot ? String(UnicodeScalar(byte)) : "=" + Base16.text([byte], Base16.upper)
        if column + piece.utf8.count > Self.width {
          result += "=\r\n"
          column = 0
        }
        result += piece
        column += piece.utf8.count
      }
      result += "\r\n"
    }
    return result
  }
}
