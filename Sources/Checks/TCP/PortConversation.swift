// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Everything that is said on the connection of a tcp or tls check: STARTTLS, the handshake, the dialog; each may be
/// missing.
struct PortConversation: Conversation {

  /// The stage that is under way, or was when it ended.
  enum Stage: Sendable {
    case startTLS, handshake, dialog
  }

  fileprivate enum Body: Sendable {
    case plain(DialogConversation)
    case secure(TLSConversation<DialogConversation>)
  }

  private(set) var startTLS: DialogConversation?
  private var body: Body
  /// Plain bytes came where only TLS may.
  private(set) var isInjected = false
  private var awaitsFirstRecord = false

  /// - Parameters:
  ///   - startTLS: said before the handshake; only with a session.
  ///   - session: nil: the connection stays plain.
  init(startTLS: SpokenDialog?, session: TLSSession?, dialog: SpokenDialog) {
    let conversation = DialogConversation(dialog)
    self.startTLS = startTLS.map(DialogConversation.init)
    body = session.map { .secure(TLSConversation(conversation, over: $0)) } ?? .plain(conversation)
  }

  var stage: Stage {
    if let startTLS, startTLS.finishedAt == nil || isInjected { return .startTLS }
    if case .secure(let secure) = body, secure.inner.openedAt == nil { return .handshake }
    return .dialog
  }

  var dialog: DialogConversation {
    switch body {
    case .plain(let conversation): conversation
    case .secure(let secure): secure.inner
    }
  }

  var tls: TLSSummary? {
    if case .secure(let secure) = body { secure.session.summary } else { nil }
  }

  mutating func opened(at now: Instant) -> ConversationStep {
    guard var front = startTLS else { return body.opened(at: now) }
    let step = front.opened(at: now)
    startTLS = front
    return step
  }

  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    if let front = startTLS, front.finishedAt == nil { return negotiate(front, bytes, at: now) }
    if awaitsFirstRecord, let first = bytes.first {
      awaitsFirstRecord = false
      // A handshake begins with a record of type handshake or alert (RFC 8446 5.1); letters are plain text.
      if first != 22, first != 21 { return inject() }
    }
    return body.received(bytes, at: now)
  }

  mutating func woke(at now: Instant) -> ConversationStep {
    guard var front = startTLS, front.finishedAt == nil else { return body.woke(at: now) }
    let step = front.woke(at: now)
    // What trickles in is looked at now and then; such a look may find that all has come.
    return secure(after: front, step, at: now)
  }

  /// The other side ended the stream.
  mutating func ended(at now: Instant) {
    switch body {
    case .plain(var conversation):
      conversation.ended(at: now)
      body = .plain(conversation)
    case .secure(var conversation):
      conversation.tellInner { if $0.openedAt != nil { $0.ended(at: now) } }
      body = .secure(conversation)
    }
  }

  private mutating func negotiate(
    _ conversation: DialogConversation, _ bytes: ArraySlice<UInt8>, at now: Instant
  ) -> ConversationStep {
    var front = conversation
    let step = front.received(bytes, from: nil, at: now)
    return secure(after: front, step, at: now)
  }

  /// Begins the handshake where the wish for it is through.
  private mutating func secure(after front: DialogConversation, _ step: ConversationStep, at now: Instant)
    -> ConversationStep
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

  private mutating func inject() -> ConversationStep {
    isInjected = true
    return .done
  }
}

extension PortConversation.Body {
  fileprivate mutating func opened(at now: Instant) -> ConversationStep {
    change {
      $0.opened(at: now)
    } secure: {
      $0.opened(at: now)
    }
  }

  fileprivate mutating func received(
    _ bytes: ArraySlice<UInt8>, at now: Instant
  ) -> ConversationStep {
    change {
      $0.received(bytes, from: nil, at: now)
    } secure: {
      $0.received(bytes, from: nil, at: now)
    }
  }

  fileprivate mutating func woke(at now: Instant) -> ConversationStep {
    change {
      $0.woke(at: now)
    } secure: {
      $0.woke(at: now)
    }
  }

  private mutating func change(
    plain: (inout DialogConversation) -> ConversationStep,
    secure: (inout TLSConversation<DialogConversation>) -> ConversationStep
  ) -> ConversationStep {
    switch self {
    case .plain(var conversation):
      let step = plain(&conversation)
      self = .plain(conversation)
      return step
    case .secure(var conversation):
      let step = secure(&conversation)
      self = .secure(conversation)
      return step
    }
  }
}
