// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Everything that is said on the connection of a tcp or tls check: STARTTLS, the handshake, the dialog; each may be
/// missing.
struct PortTalk: Dialogue {
  typealias Instant = ContinuousClock.Instant

  /// What is going on, or was when it ended.
  enum Stage: Sendable {
    case startTLS, handshake, dialog
  }

  fileprivate enum Body: Sendable {
    case plain(Conversation)
    case secure(TLSDialogue<Conversation>)
  }

  private(set) var startTLS: Conversation?
  private var body: Body
  /// Plain bytes came where only TLS may.
  private(set) var isInjected = false
  private var awaitsFirstRecord = false

  /// - Parameters:
  ///   - startTLS: said before the handshake; only with a session.
  ///   - session: nil: the connection stays plain.
  init(startTLS: Script?, session: TLSSession?, dialog: Script) {
    let talk = Conversation(dialog.exchanges, farewell: dialog.farewell)
    self.startTLS = startTLS.map { Conversation($0.exchanges) }
    body = session.map { .secure(TLSDialogue(talk, over: $0)) } ?? .plain(talk)
  }

  var stage: Stage {
    if let startTLS, startTLS.finishedAt == nil || isInjected { return .startTLS }
    if case .secure(let secure) = body, secure.inner.openedAt == nil { return .handshake }
    return .dialog
  }

  var dialog: Conversation {
    switch body {
    case .plain(let talk): talk
    case .secure(let secure): secure.inner
    }
  }

  var tls: TLSSummary? {
    if case .secure(let secure) = body { secure.session.summary } else { nil }
  }

  mutating func opened(at now: Instant) -> DialogueStep {
    guard var front = startTLS else { return body.opened(at: now) }
    let step = front.opened(at: now)
    startTLS = front
    return step
  }

  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> DialogueStep {
    if let front = startTLS, front.finishedAt == nil { return negotiate(front, bytes, at: now) }
    if awaitsFirstRecord, let first = bytes.first {
      awaitsFirstRecord = false
      // A handshake begins with a record of type handshake or alert (RFC 8446 5.1); letters are plain text.
      if first != 22, first != 21 { return inject() }
    }
    return body.received(bytes, at: now)
  }

  mutating func woke(at now: Instant) -> DialogueStep {
    guard var front = startTLS, front.finishedAt == nil else { return body.woke(at: now) }
    let step = front.woke(at: now)
    // What trickles in is looked at now and then; such a look may find that all has come.
    return secure(after: front, step, at: now)
  }

  /// The other side ended the stream.
  mutating func ended(at now: Instant) {
    switch body {
    case .plain(var talk):
      talk.ended(at: now)
      body = .plain(talk)
    case .secure(var talk):
      talk.tellInner { if $0.openedAt != nil { $0.ended(at: now) } }
      body = .secure(talk)
    }
  }

  private mutating func negotiate(
    _ conversation: Conversation, _ bytes: ArraySlice<UInt8>, at now: Instant
  ) -> DialogueStep {
    var front = conversation
    let step = front.received(bytes, from: nil, at: now)
    return secure(after: front, step, at: now)
  }

  /// Begins the handshake where the wish for it is through.
  private mutating func secure(after front: Conversation, _ step: DialogueStep, at now: Instant)
    -> DialogueStep
  {
    startTLS = front
    var step = step
    guard front.finishedAt != nil else { return step }
    // What follows the go-ahead in plain text would be taken for the server's word inside TLS (CVE-2011-0411).
    if !front.window.isEmpty { return inject() }
    awaitsFirstRecord = true
    let hello = body.opened(at: now)
    step.send = (step.send ?? []) + (hello.send ?? [])
    step.isDone = hello.isDone
    return step
  }

  private mutating func inject() -> DialogueStep {
    isInjected = true
    return .done
  }
}

extension PortTalk.Body {
  fileprivate mutating func opened(at now: ContinuousClock.Instant) -> DialogueStep {
    change {
      $0.opened(at: now)
    } secure: {
      $0.opened(at: now)
    }
  }

  fileprivate mutating func received(
    _ bytes: ArraySlice<UInt8>, at now: ContinuousClock.Instant
  ) -> DialogueStep {
    change {
      $0.received(bytes, from: nil, at: now)
    } secure: {
      $0.received(bytes, from: nil, at: now)
    }
  }

  fileprivate mutating func woke(at now: ContinuousClock.Instant) -> DialogueStep {
    change {
      $0.woke(at: now)
    } secure: {
      $0.woke(at: now)
    }
  }

  private mutating func change(
    plain: (inout Conversation) -> DialogueStep, secure: (inout TLSDialogue<Conversation>) -> DialogueStep
  ) -> DialogueStep {
    switch self {
    case .plain(var talk):
      let step = plain(&talk)
      self = .plain(talk)
      return step
    case .secure(var talk):
      let step = secure(&talk)
      self = .secure(talk)
      return step
    }
  }
}
