// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// What counts as an offer of STARTTLS, without a socket.
@Suite struct StartTLSOfferTests {
  /// What a server of that protocol gets after its answers, and why it is given up; nil: it is not.
  private func conversation(_ kind: StartTLSProtocol, _ answers: String) -> (sent: String, failure: String?) {
    var run = DialogConversationTests.Run(SpokenDialog.startTLS(kind, host: "mail.test").steps)
    run.feed(answers)
    run.wait()
    return (String(decoding: run.sent, as: UTF8.self), run.conversation.failure?.message)
  }

  /// The first line of an answer to EHLO is the server's name, which is no offer (RFC 5321 section 4.1.1.1).
  @Test(arguments: [
    ("250-mail.test\r\n250-SIZE 1\r\n250 STARTTLS\r\n", true),
    ("250-mail.test\r\n250-starttls\r\n250 SIZE 1\r\n", true),
    ("250-STARTTLS\r\n250 SIZE 1\r\n", false), ("250 STARTTLS\r\n", false),
    ("250-mail.test\r\n250 XSTARTTLS\r\n", false), ("250-mail.test\r\n250 STARTTLSX\r\n", false),
    ("250-mail.test\r\n250-STARTTLS \r\n250 SIZE\r\n", true),
    ("250-mail.test\r\n250 STARTTLS REQUIRED\r\n", true),
    ("250-mail.test\r\n250 starttls\tREQUIRED\r\n", true),
  ])
  func aNameIsNoOffer(answer: String, isOffer: Bool) {
    let (sent, failure) = conversation(.smtp, "220 mail.test\r\n" + answer)
    #expect(sent.hasSuffix("STARTTLS\r\n") == isOffer)
    #expect((failure == "smtp does not offer STARTTLS") == !isOffer)
  }

  @Test(arguments: [
    ("STLS", true), ("STLS ", true), ("stls NOW", true), ("XSTLS", false), ("SASL STLS", false),
  ])
  func aKeywordOfPOP3MayHaveParameters(line: String, isOffer: Bool) {
    let (sent, failure) = conversation(.pop3, "+OK a\r\n+OK\r\nUIDL\r\n\(line)\r\n.\r\n")
    #expect(sent.hasSuffix("STLS\r\n") == isOffer)
    #expect((failure == "pop3 does not offer STARTTLS") == !isOffer)
  }

  @Test(arguments: [
    ("* CAPABILITY IMAP4rev1 STARTTLS ", true), ("*  CAPABILITY  IMAP4rev1\tSTARTTLS", true),
    ("* CAPABILITY IMAP4rev1 XSTARTTLS", false), ("* OK STARTTLS", false),
  ])
  func aCapabilityOfIMAPIsAWord(line: String, isOffer: Bool) {
    let (sent, failure) = conversation(.imap, "* OK a\r\n\(line)\r\ns1 OK done\r\n")
    #expect(sent.hasSuffix("s2 STARTTLS\r\n") == isOffer)
    #expect((failure == "imap does not offer STARTTLS") == !isOffer)
  }

  /// Every line of an answer bears the code of its first (RFC 5321 section 4.2.1).
  @Test func anAnswerOfTwoCodesIsForeign() {
    let (sent, failure) = conversation(.smtp, "220 mail.test\r\n250-mail.test\r\n220 STARTTLS\r\n")
    #expect(!sent.hasSuffix("STARTTLS\r\n"))
    #expect(failure == "this is not smtp")
  }

  /// The single byte that a postgres answers.
  @Test(
    arguments: [
      ("S", nil), ("N", "postgres does not offer STARTTLS"), ("E", "postgres answered with an error"),
      ("X", "this is not postgres"),
    ] as [(String, String?)])
  func postgresSaysItInOneByte(answer: String, words: String?) {
    #expect(conversation(.postgres, answer).failure == words)
  }

  /// Of all codes that an ftp may answer AUTH TLS with, 234 alone is its go-ahead.
  @Test func theGoAheadOfFTP() {
    for code in 100...599 {
      let words = code == 234 ? nil : "ftp answered \(code)"
      #expect(conversation(.ftp, "220 a\r\n\(code) go\r\n").failure == words)
    }
  }
}
