// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

extension Verdict {
  /// Meaning of a failed transfer, in our words: nothing the other side sent is repeated.
  ///
  /// - Parameters:
  ///   - endpoint: as the check or the redirect writes it. An untrusted check gets no more: the addresses of its names
  ///     in this network are not shown to it.
  ///   - proxy: to which the request was sent, to be passed on. `nil` where a connection leads to the endpoint itself.
  ///   - check: its timeout; a limit missed by more than a fifth of it was this machine's lateness.
  init(
    _ failure: TransferFailure, of dialled: DialledTransfer, at endpoint: Endpoint,
    through proxy: Endpoint? = nil, for check: MonitoringCheck
  ) {
    if failure.timedOut, dialled.lateness > check.timeout / 5 {
      let late = Int(dialled.lateness.milliseconds)
      self.init(
        .localFault, phase: Phase(failure.phase),
        message: "this machine was busy: its transfer thread was \(late) ms late")
      return
    }
    let place = check.origin == .api || check.hasProxy ? endpoint.description : dialled.peer.description
    let way = proxy?.onTheWay ?? ""
    if case .local(.system(let code)) = failure.kind {
      self.init(
        errno: code, phase: Phase(failure.phase), peer: place, source: dialled.peer.source)
      return
    }
    if failure.kind == .bodyTooLarge, case .http(let settings) = check.kind {
      self.init(
        .bodyTooLarge, phase: .transfer,
        message: "\(place)\(way): the body is larger than max_body, \(settings.maxBody) bytes")
      return
    }
    let words = failure.words(within: check.timeout, isRelayed: proxy != nil)
    let message = failure.kind.isLocal ? words : "\(place)\(way): \(words)"
    self.init(Reason(failure), phase: Phase(failure.phase), message: message, timedOut: failure.timedOut)
  }
}

extension Endpoint {
  /// Words behind the target of a request that this proxy passes on. Advice for people knows them.
  var onTheWay: String { ", \(NarrowCause.relayed.rawValue) \(self)" }
}

extension MonitoringCheck {
  /// Then the address that was dialled is not the target's.
  fileprivate var hasProxy: Bool {
    guard case .http(let settings) = kind else { return false }
    return settings.proxy != nil
  }
}

extension TransferFailure {
  /// With the limit as the check has it, where the time ran out.
  fileprivate func words(within timeout: Duration, isRelayed: Bool) -> String {
    guard kind == .timeout, let part = phase.awaited, message == ConnectionWords.overdue(part) else {
      return message
    }
    return ConnectionWords.overdue(
      isRelayed && part == .answer ? .relayedAnswer : part, "within \(timeout.limitText)")
  }
}

extension TransferFailureKind {
  fileprivate var isLocal: Bool { if case .local = self { true } else { false } }
}

extension Phase {
  init(_ phase: TransferPhase) {
    switch phase {
    case .prepare: self = .prepare
    case .connect: self = .connect
    case .proxy: self = .proxy
    case .tls: self = .tls
    case .firstByte: self = .firstByte
    case .transfer: self = .transfer
    }
  }
}

extension Reason {
  init(_ failure: TransferFailure) {
    switch failure.kind {
    case .connectRefused: self = .connectRefused
    case .unreachable: self = .connectUnreachable
    case .reset: self = .connectionReset
    case .closed: self = .connectionClosed
    case .timeout: self = Reason(timeoutIn: failure.phase)
    case .tls(let kind): self = Reason(kind)
    case .httpProtocol: self = .httpProtocol
    case .headersTooLarge: self = .headersTooLarge
    case .bodyTooLarge: self = .bodyTooLarge
    case .proxyConnect: self = .proxyConnect
    case .proxyAuthentication: self = .proxyAuth
    case .local: self = .localFault
    }
  }

  private init(timeoutIn phase: TransferPhase) {
    switch phase {
    case .prepare, .connect: self = .connectTimeout
    case .proxy: self = .proxyConnect
    case .tls: self = .tlsTimeout
    case .firstByte: self = .firstByteTimeout
    case .transfer: self = .transferTimeout
    }
  }

  private init(_ kind: TLSFailureKind) {
    switch kind {
    case .certificate(.expired): self = .tlsExpired
    case .certificate(.notYetValid): self = .tlsNotYetValid
    case .certificate(.hostname): self = .tlsHostname
    case .certificate(.selfSigned): self = .tlsSelfSigned
    case .certificate(.untrusted): self = .tlsUntrusted
    case .certificate(.weak): self = .tlsWeak
    case .protocolVersion: self = .tlsProtocol
    case .clientCertificate: self = .tlsClientCertificate
    case .handshake: self = .tlsHandshake
    }
  }
}
