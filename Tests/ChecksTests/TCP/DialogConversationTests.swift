// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks
@testable import Network

/// The machine behind dialogs, without a socket.
@Suite struct DialogConversationTests {
  /// Feeds pieces as a socket would, a millisecond apart, and gives the clock's rest to a conversation that asked.
  struct Run {
    var conversation: DialogConversation
    var sent: [UInt8] = []
    var isDone = false
    private(set) var now = Instant.now
    private(set) var wakes = 0
    private var wake: Instant?

    init(_ steps: [SpokenStep], farewell: [UInt8]? = nil) {
      conversation = DialogConversation(SpokenDialog(steps, farewell: farewell))
      follow(conversation.opened(at: now))
    }

    mutating func feed(_ pieces: [[UInt8]]) {
      for piece in pieces where !isDone {
        now += .milliseconds(1)
        follow(conversation.received(piece[...], from: nil, at: now))
      }
    }

    mutating func feed(_ text: String) { feed([Array(text.utf8)]) }

    /// Nothing more comes: every wish to be woken is granted.
    mutating func wait() {
      while !isDone, wakes < 100, let next = wake {
        wake = nil
        wakes += 1
        now = max(now, next)
        follow(conversation.woke(at: now))
      }
    }

    private mutating func follow(_ step: ConversationStep) {
      sent += step.send ?? []
      if let next = step.wake { wake = next }
      isDone = isDone || step.isDone
    }
  }

  static func steps(_ steps: [DialogStep]) -> [SpokenStep] { steps.map(SpokenStep.init) }

  static let login = steps([
    .expect(.pattern(#"^220 (?<host>\S+) (\w+)"#)), .send(Redacted(#"HELO \(host) \(2)\r\n"#)),
    .expect(.literal(#"250 \(host)"#)), .sendHex([1, 2]), .expectHex([0, 255, 0]),
    .expect(.pattern(#"^done$"#)),
  ])

  static let answers =
    Array("x\r\n220 mail.test ESMTP ready\r\n250-a\r\n250 mail.test\r\n".utf8)
    + [0, 0, 255, 0] + Array("\r\ndone\r\n".utf8)

  /// All at once, byte by byte, and cut in two at every place: the same bytes go out, and the end is the same.
  @Test func piecesDoNotMatter() {
    let cuts =
      [[Self.answers], Self.answers.map { [$0] }]
      + (1..<Self.answers.count).map { [Array(Self.answers[..<$0]), Array(Self.answers[$0...])] }
    for pieces in cuts {
      var run = Run(Self.login)
      run.feed(pieces)
      run.wait()
      #expect(
        run.conversation.finishedAt != nil, "\(pieces.count): \(run.conversation.allSteps(until: run.now))")
      #expect(run.sent == Array("HELO mail.test ESMTP\r\n".utf8) + [1, 2])
      #expect(run.conversation.steps.map(\.ok) == [true, true, true, true, true, true])
    }
  }

  /// A greedy group must not be cut where a segment ends.
  @Test func aPatternWaitsForTheEndOfAWord() {
    var run = Run(Self.steps([.expect(.pattern(#"id=(\w+)"#)), .send(Redacted(#"\(1)"#))]))
    run.feed("id=ab")
    #expect(run.conversation.finishedAt == nil)
    run.feed("cd\n")
    #expect(run.conversation.finishedAt != nil)
    #expect(run.sent == Array("abcd".utf8))
  }

  /// One that reaches to the end of what came is believed after a while, at the time it came.
  @Test func aPatternThatEndsWithTheAnswerIsBelieved() throws {
    var run = Run(Self.steps([.expect(.pattern(#"id=\w+"#))]))
    run.feed("id=abcd")
    let heard = run.now
    #expect(!run.isDone)
    run.wait()
    #expect(run.isDone && run.conversation.finishedAt == heard)
  }

  /// A greeting that is no UTF-8 is bytes, once no more of it comes.
  @Test(arguments: ["f.r", #"f\xfcr"#, "f[^a]r"])
  func aPatternIsLookedForInBytes(pattern: String) {
    var run = Run(Self.steps([.expect(.pattern(pattern))]))
    run.feed([[0x66, 0xfc, 0x72, 0x0a]])
    #expect(!run.isDone)
    run.wait()
    #expect(run.isDone && run.conversation.failure == nil)
  }

  /// Looked at to its end once, it is not looked at again until more comes; found by fuzzing.
  @Test func whatDoesNotMatchIsNotTriedForEver() {
    var run = Run(Self.steps([.expect(.pattern(#"id=\w+"#))]))
    run.feed([[UInt8]](repeating: [0x41], count: AnswerScan.freeTries * 2))
    run.wait()
    #expect(!run.isDone && run.wakes <= 7)
    run.feed("id=1 ")
    run.wait()
    #expect(run.isDone && run.conversation.failure == nil)
  }

  @Test func theEndOfTheStreamSettlesAPattern() {
    var run = Run(Self.steps([.expect(.pattern(#"id=\w+"#))]))
    run.feed("id=abcd")
    run.conversation.ended(at: run.now)
    #expect(run.conversation.finishedAt != nil)
  }

  @Test func whatDoesNotComeIsSeen() throws {
    var run = Run(Self.steps([.send(Redacted("PASS hunter2secret\r\n")), .expect(.literal("+OK"))]))
    run.feed("-ERR hunter2secret is wrong\u{7}\r\n")
    run.wait()
    #expect(!run.isDone)
    let steps = run.conversation.allSteps(until: run.now)
    #expect(steps.map(\.ok) == [true, false])
    #expect(steps.map(\.what) == ["send", "expect \"+OK\""])
    let seen = try #require(steps.last?.seen)
    #expect(seen == #"-ERR <redacted> is wrong\u{7}\u{d}\u{a}"#)
  }

  @Test(arguments: [
    "hunter2secret", "aHVudGVyMnNlY3JldA==", "68756e74657232736563726574", "68756E74657232736563726574",
  ])
  func whatWasSentIsHiddenInEveryForm(echo: String) throws {
    var run = Run(Self.steps([.send(Redacted("PASS hunter2secret\r\n")), .expect(.literal("+OK"))]))
    run.feed("-ERR \(echo) is wrong\r\n")
    run.wait()
    let seen = try #require(run.conversation.allSteps(until: run.now).last?.seen)
    #expect(seen == #"-ERR <redacted> is wrong\u{d}\u{a}"#)
  }

  /// A line of a protocol has its own signs around a secret.
  @Test(arguments: [
    "AUTH me:hunter2secret now", "LOGIN \"hunter2secret\"", "auth=(hunter2secret)",
    "{\"key\":\"hunter2secret\"}",
  ])
  func aSecretAmongSignsIsHidden(line: String) throws {
    var run = Run(Self.steps([.send(Redacted("\(line)\r\n")), .expect(.literal("+OK"))]))
    run.feed("-ERR hunter2secret is wrong\r\n")
    run.wait()
    let seen = try #require(run.conversation.allSteps(until: run.now).last?.seen)
    #expect(seen == #"-ERR <redacted> is wrong\u{d}\u{a}"#)
  }

  @Test func theWholeOfWhatWasSentIsHiddenToo() throws {
    var run = Run(Self.steps([.send(Redacted("PASS hunter2secret\r\n")), .expect(.literal("+OK"))]))
    run.feed("-ERR UEFTUyBodW50ZXIyc2VjcmV0DQo=\r\n")
    run.wait()
    let seen = try #require(run.conversation.allSteps(until: run.now).last?.seen)
    #expect(seen == #"-ERR <redacted>\u{d}\u{a}"#)
  }

  /// What of a flood is kept and looked at is bounded (T2).
  @Test(arguments: [DialogStep.expect(.literal("never")), .expect(.pattern("never")), .expectHex([1, 2, 3])])
  func aFloodFailsItsStep(step: DialogStep) {
    var run = Run(Self.steps([step]))
    let piece = [UInt8](repeating: 0x41, count: 4096)
    run.feed([[UInt8]](repeating: piece, count: 1000))
    #expect(run.isDone)
    #expect(run.conversation.failure?.message == "not found in the first 16 KiB")
    #expect(run.conversation.window.count == DialogConversation.windowBytes + 1)
    #expect(run.conversation.seen.utf8.count == 1024)
  }

  /// In single bytes, too: looking is rationed, and a full window ends it.
  @Test func aTrickleFailsItsStep() {
    let steps = [DialogStep.expect(.literal("never")), .expect(.pattern("never")), .expectHex([1, 2, 3])]
    for steps in steps.map({ Self.steps([$0]) }) + [SpokenDialog.startTLS(.xmpp, host: "a.test").steps] {
      var run = Run(steps)
      run.feed([[UInt8]](repeating: [UInt8(ascii: "<")], count: DialogConversation.windowBytes + 10))
      #expect(run.isDone)
      #expect(run.conversation.failure?.message == "not found in the first 16 KiB")
    }
  }

  /// Two ends of what xmpp offers in one stream, and an error behind the first: only what came first counts.
  @Test(arguments: [
    ("<s><stream:features/><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>", false),
    (
      "<s><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features><stream:error/>", true
    ),
  ])
  func theFirstEndCountsHoweverItIsCut(stream: String, accepted: Bool) {
    for size in [1, 7, stream.utf8.count] {
      var run = Run(SpokenDialog.startTLS(.xmpp, host: "a.test").steps)
      let bytes = Array(stream.utf8)
      run.feed(stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) })
      run.wait()
      #expect(run.conversation.steps.count == (accepted ? 1 : 0), "in pieces of \(size)")
      #expect(
        run.conversation.failure?.message
          == (accepted ? "xmpp answered with a stream error" : "xmpp does not offer STARTTLS"))
    }
  }

  private static func endless() -> SpokenStep {
    SpokenStep("again", say: .line("x"), read: .read { .accepted($0.count, then: [endless()]) })
  }

  /// A server that always wants one step more is not followed for ever.
  @Test func aCircleIsLeft() {
    var run = Run([Self.endless()])
    run.feed([[UInt8]](repeating: [1], count: 1000))
    #expect(run.isDone && run.conversation.steps.count == DialogConversation.stepLimit)
    #expect(run.conversation.failure?.kind == .unexpected)
    #expect(run.conversation.failure?.message == "the server wants more than 64 steps")
  }

  /// A rationed answer is found when its turn comes, and its time is when it came.
  @Test func aRationedAnswerIsFound() {
    var run = Run(SpokenDialog.startTLS(.smtp, host: "a.test").steps)
    run.feed(("220-" + String(repeating: "x", count: 500) + "\r\n220 y\r\n").utf8.map { [$0] })
    let heard = run.now
    run.wait()
    #expect(run.conversation.steps.count == 1 && run.now > heard)
    #expect(run.conversation.steps.first?.elapsed == .milliseconds(513))
  }

  /// An answer with much behind it is found, and the rest is there for the next step.
  @Test func nothingIsLostInOneLargePiece() {
    let filler = String(repeating: "-", count: 15_000)
    var run = Run(
      Self.steps([.expect(.literal("one")), .expect(.literal("two")), .expect(.literal("three"))]))
    run.feed("\(filler)one\(filler)two\(filler)three")
    #expect(run.isDone && run.conversation.failure == nil)
  }

  @Test func aHungryPatternIsGivenUp() {
    var run = Run(Self.steps([.expect(.pattern(#"^(a+)+$"#))]))
    run.feed(String(repeating: "a", count: 64) + "!\n")
    run.wait()
    #expect(run.conversation.failure?.message == Pattern.limitWords)
  }

  @Test func theFarewellIsSaidAndNotCounted() throws {
    let quit = Array("QUIT\r\n".utf8)
    var run = Run(Self.steps([.expect(.literal("OK"))]), farewell: quit)
    run.feed("OK")
    let end = try #require(run.conversation.finishedAt)
    #expect(run.sent == quit && !run.isDone && end == run.now)
    run.feed("221 bye\r\n")
    #expect(run.isDone && run.conversation.finishedAt == end)

    var silent = Run(Self.steps([.expect(.literal("OK"))]), farewell: quit)
    silent.feed("OK")
    silent.wait()
    #expect(silent.isDone && silent.now == end.advanced(by: silent.now - end))
  }

  @Test func aMissingCaptureFailsTheStep() {
    var run = Run(Self.steps([.expect(.pattern("a(x)?b")), .send(Redacted(#"\(1)"#))]))
    run.feed("ab")
    #expect(run.isDone)
    #expect(run.conversation.failure?.message == "it names something that was not captured")
    #expect(run.sent.isEmpty)
  }
}
