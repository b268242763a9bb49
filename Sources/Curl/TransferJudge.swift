// SPDX-License-Identifier: MIT

import CCurl
import Glibc

/// Everything known about how a transfer ended, for `outcome` to decide on.
struct TransferEnd {
  var code: CURLcode
  /// errno of the system call that failed inside libcurl; zero: none noted.
  var systemError: Int32 = 0
  /// Why we ended it ourselves; nil: libcurl did.
  var stop: TransferStop?
  var phase: TransferPhase
  /// The headers of the final answer were complete, or none were asked for.
  var hasAnswer = true
  var handshake: HandshakeEnd?
}

/// Why the engine or a callback ended a transfer.
enum TransferStop: Hashable {
  /// The goal was reached at the end of the headers.
  case goalReached
  case headersTooLarge
  case malformedHeader
  case bodyTooLarge
  /// `connectTimeout` passed, or libcurl missed its own limit.
  case deadline
  case local(LocalFault, message: String)
}

extension TransferEnd {
  /// Decides what the end of a transfer means. Pure: all it knows is in here.
  var outcome: TransferOutcome {
    if let stop { return outcome(of: stop) }
    // libcurl is content with headers that end with the connection.
    if code == CURLE_OK { return hasAnswer ? .complete : closed }
    if code == CURLE_OPERATION_TIMEDOUT { return failed(.timeout, "no end within the time limit") }
    if let failure = handshake?.failure(inHandshake: phase == .tls) { return .failed(failure) }
    if let failure = systemFailure() { return .failed(failure) }
    return libraryFailure()
  }

  private func failed(_ kind: TransferFailureKind, _ message: String) -> TransferOutcome {
    .failed(TransferFailure(kind, phase: phase, message: message))
  }

  private func outcome(of stop: TransferStop) -> TransferOutcome {
    switch stop {
    case .goalReached: .complete
    case .headersTooLarge:
      failed(.headersTooLarge, "response headers exceed 64 KiB, 200 lines or 20 interim answers")
    case .malformedHeader: failed(.httpProtocol, "response header breaks the rules of HTTP")
    case .bodyTooLarge: failed(.bodyTooLarge, "response body exceeds its limit")
    case .deadline: failed(.timeout, "no end within the time limit")
    case .local(let fault, let message): failed(.local(fault), message)
    }
  }

  private var closed: TransferOutcome {
    failed(.closed, "the server closed the connection before its answer was complete")
  }

  private func systemFailure() -> TransferFailure? {
    guard systemError != 0 else { return nil }
    let words = errnoName(systemError)
    let kind: TransferFailureKind
    switch systemError {
    case ECONNREFUSED: kind = .connectRefused
    case EHOSTUNREACH, EHOSTDOWN: kind = .unreachable
    case ECONNRESET, EPIPE, ECONNABORTED: kind = .reset
    case ETIMEDOUT: kind = .timeout
    // No route, no free port, no descriptor, no memory, a firewall of our own: says nothing about the target.
    case ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EMFILE, ENFILE, ENOMEM, ENOBUFS, EPERM, EACCES, EAFNOSUPPORT,
      EADDRINUSE, EINVAL:
      kind = .local(.system(errno: systemError))
    default: return nil
    }
    return TransferFailure(kind, phase: phase, message: words)
  }

  private func libraryFailure() -> TransferOutcome {
    switch code {
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR,
      CURLE_SSL_SHUTDOWN_FAILED:
      return closed
    // Without an errno it is the end of an encrypted stream without its farewell, or a chunk that is none.
    case CURLE_RECV_ERROR where handshake != nil: return closed
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_BAD_CONTENT_ENCODING, CURLE_RECV_ERROR, CURLE_WRITE_ERROR:
      return failed(.httpProtocol, "the answer breaks the rules of HTTP")
    case CURLE_OUT_OF_MEMORY where phase == .firstByte || phase == .transfer:
      // libcurl's own limit for one header line (100 KiB) falls before ours can see the line.
      return failed(.headersTooLarge, "a response header is too long")
    case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
      return failed(.local(.request), "the url or an option cannot be used")
    default:
      return failed(
        .local(.library(code: Int32(bitPattern: code.rawValue))), "libcurl failed with code \(code.rawValue)")
    }
  }
}

private func errnoName(_ code: Int32) -> String {
  String(cString: strerror(code)).lowercased()
}
