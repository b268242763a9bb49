// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Testing

@testable import Curl

/// What each end of a transfer is, and in which words: whole tables, by the code, the errno, our own stop and the phase.
@Suite struct TransferEndTableTests {
  private func failure(_ end: TransferEnd) -> TransferFailure? {
    if case .failed(let failure) = end.outcome { failure } else { nil }
  }

  @Test(
    arguments: [
      (ECONNREFUSED, .connectRefused, "connection refused"), (EHOSTUNREACH, .unreachable, "no route to host"),
      (EHOSTDOWN, .unreachable, "host is down"), (ENONET, .unreachable, "machine is not on the network"),
      (ENOPROTOOPT, .unreachable, "protocol not available"), (EPROTO, .unreachable, "protocol error"),
      (ENOANO, .unreachable, "administratively prohibited by a firewall on the way"),
      (ECONNRESET, .reset, "connection reset by peer"), (EPIPE, .reset, "connection reset by peer"),
      (ECONNABORTED, .reset, "connection reset by peer"), (ETIMEDOUT, .timeout, "connection timed out"),
      (ENETUNREACH, nil, "network is unreachable"), (ENETDOWN, nil, "network is down"),
      (EADDRNOTAVAIL, nil, "cannot assign requested address"), (EMFILE, nil, "too many open files"),
      (ENFILE, nil, "too many open files in system"), (ENOMEM, nil, "cannot allocate memory"),
      (ENOBUFS, nil, "no buffer space available"), (EPERM, nil, "operation not permitted"),
      (EACCES, nil, "permission denied"),
      (EAFNOSUPPORT, nil, "address family not supported by protocol"),
      (EADDRINUSE, nil, "address already in use"),
      (EINVAL, nil, "invalid argument"),
    ] as [(Int32, TransferFailureKind?, String)])
  func errnos(code: Int32, kind: TransferFailureKind?, words: String) {
    for phase in TransferPhase.allCases {
      let end = TransferEnd(code: CURLE_COULDNT_CONNECT, systemError: code, phase: phase)
      let wanted = TransferFailure(kind ?? .local(.system(errno: code)), phase: phase, message: words)
      #expect(failure(end) == wanted)
    }
  }

  /// An errno that says nothing of a connection leaves the word to the code.
  @Test(arguments: [0, EIO, EAGAIN, EINPROGRESS]) func otherErrnos(code: Int32) {
    let end = TransferEnd(code: CURLE_GOT_NOTHING, systemError: code, phase: .firstByte)
    #expect(failure(end)?.kind == .closed)
  }

  private static let broken = "the answer breaks the rules of HTTP"
  private static let closed = "the server closed the connection before its answer was complete"

  @Test(
    arguments: [
      (CURLE_GOT_NOTHING, .firstByte, .closed, closed), (CURLE_PARTIAL_FILE, .transfer, .closed, closed),
      (CURLE_SEND_ERROR, .firstByte, .closed, closed),
      (CURLE_SSL_CONNECT_ERROR, .tls, .closed, "the server closed the connection in the tls handshake"),
      (CURLE_SSL_SHUTDOWN_FAILED, .transfer, .closed, closed),
      (CURLE_HTTP2, .transfer, .reset, "the HTTP/2 connection was ended before the answer was complete"),
      (
        CURLE_UNSUPPORTED_PROTOCOL, .connect, .httpProtocol,
        "no HTTP status line came: another protocol, or HTTP/2 without TLS (http_version: 2)"
      ),
      (CURLE_WEIRD_SERVER_REPLY, .connect, .httpProtocol, broken),
      (CURLE_BAD_CONTENT_ENCODING, .connect, .httpProtocol, broken),
      (CURLE_RECV_ERROR, .connect, .httpProtocol, broken),
      (CURLE_WRITE_ERROR, .connect, .httpProtocol, broken),
      (CURLE_OUT_OF_MEMORY, .firstByte, .headersTooLarge, "a response header is too long"),
      (CURLE_OUT_OF_MEMORY, .transfer, .headersTooLarge, "a response header is too long"),
      (CURLE_OUT_OF_MEMORY, .connect, .local(.library(code: 27)), "libcurl failed with code 27"),
      (CURLE_URL_MALFORMAT, .prepare, .local(.request), "the url or an option cannot be used"),
      (CURLE_BAD_FUNCTION_ARGUMENT, .tls, .local(.request), "the url or an option cannot be used"),
      (CURLE_URL_MALFORMAT, .firstByte, .httpProtocol, broken),
      (CURLE_FAILED_INIT, .prepare, .local(.library(code: 2)), "libcurl failed with code 2"),
      (CURLE_FAILED_INIT, .transfer, .httpProtocol, broken),
    ] as [(CURLcode, TransferPhase, TransferFailureKind, String)])
  func codes(code: CURLcode, phase: TransferPhase, kind: TransferFailureKind, words: String) {
    let end = TransferEnd(code: code, phase: phase)
    #expect(failure(end) == TransferFailure(kind, phase: phase, message: words))
  }

  /// A reset of a request that is under way throws away the alert by which a server refuses that there is no certificate.
  @Test func anUnmetRequestForACertificate() {
    var handshake = HandshakeEnd(clientCertificateRequested: true)
    handshake.isRequestUnmet = true
    var end = TransferEnd(
      code: CURLE_RECV_ERROR, systemError: ECONNRESET, phase: .firstByte, handshake: handshake)
    let words = ConnectionWords.failed(ECONNRESET)
    #expect(
      failure(end)
        == TransferFailure(
          .tls(.clientCertificate), phase: .tls,
          message: words + ": the server had asked for a client certificate"))
    end.phase = .transfer
    #expect(failure(end) == TransferFailure(.reset, phase: .transfer, message: words))
    end.phase = .firstByte
    end.handshake?.isRequestUnmet = false
    #expect(failure(end) == TransferFailure(.reset, phase: .firstByte, message: words))
  }

  /// One code, and what else is known of the transfer.
  @Test func codesWithDoubts() {
    let notHTTP2 = "what the server sends is not HTTP/2"
    var end = TransferEnd(code: CURLE_GOT_NOTHING, phase: .firstByte, assumedHTTP2: true)
    #expect(failure(end)?.message == Self.closed + ": it may not speak HTTP/2 without TLS")
    end.phase = .transfer
    #expect(failure(end)?.message == Self.closed)
    end = TransferEnd(code: CURLE_GOT_NOTHING, phase: .firstByte, choseHTTP2: true)
    let either = "the HTTP/2 stream ended before its answer could be read, or \(notHTTP2)"
    #expect(failure(end) == TransferFailure(.httpProtocol, phase: .firstByte, message: either))
    end = TransferEnd(code: CURLE_OK, phase: .firstByte, hasAnswer: false)
    #expect(failure(end) == TransferFailure(.closed, phase: .firstByte, message: Self.closed))
    end.isCut = true
    #expect(failure(end)?.message == Self.closed)
    end.hasAnswer = true
    #expect(failure(end)?.message == "the connection ended before the answer was complete")
    for code in [CURLE_OK, CURLE_RECV_ERROR] {
      end = TransferEnd(code: code, phase: .firstByte, hasAnswer: false, words: .noFrames)
      #expect(failure(end) == TransferFailure(.httpProtocol, phase: .firstByte, message: notHTTP2))
      (end.phase, end.hasAnswer) = (.transfer, true)
      #expect(failure(end)?.message == "the answer breaks the rules of HTTP/2")
    }
    end = TransferEnd(code: CURLE_RECV_ERROR, phase: .transfer, handshake: HandshakeEnd())
    #expect(failure(end)?.kind == .closed)
    end.words = .brokenChunk
    #expect(failure(end) == TransferFailure(.httpProtocol, phase: .transfer, message: Self.broken))
    end = TransferEnd(code: CURLE_HTTP2_STREAM, phase: .transfer)
    #expect(failure(end)?.message == "the server ended the HTTP/2 stream before it took the request's body")
    end.hasAnswer = false
    #expect(failure(end)?.message == "the server broke the request off over HTTP/2")
    end.words = .streamProtocolError
    #expect(
      failure(end)?.message
        == "the answer breaks the rules of HTTP/2, or the server says that the request does")
  }

  /// What was waited for when the time was up.
  @Test(
    arguments: [
      (.prepare, "no connection within the time limit"), (.connect, "no connection within the time limit"),
      (.tls, "connected, but the tls handshake did not end within the time limit"),
      (.firstByte, "connected, but no answer came within the time limit"),
      (.transfer, "the answer did not end within the time limit"),
      (.proxy, "the proxy made no connection within the time limit"),
    ] as [(TransferPhase, String)])
  func overtime(phase: TransferPhase, words: String) {
    for end in [
      TransferEnd(code: CURLE_OPERATION_TIMEDOUT, phase: phase),
      TransferEnd(code: CURLE_WRITE_ERROR, stop: .deadline, phase: phase),
    ] {
      #expect(failure(end) == TransferFailure(.timeout, phase: phase, message: words))
      #expect(failure(end)?.timedOut == true)
    }
  }

  @Test(
    arguments: [
      (
        .headersTooLarge, .headersTooLarge, "response headers exceed 64 KiB, 200 fields or 20 interim answers"
      ),
      (.malformedHeader, .httpProtocol, "response header breaks the rules of HTTP"),
      (
        .refusedStream, .closed,
        "the server refused the HTTP/2 stream before it processed the request (REFUSED_STREAM)"
      ),
      (
        .requiresHTTP1, .closed,
        "the server requires HTTP/1.1 for this request (HTTP_1_1_REQUIRED): set http_version to auto or 1.1"
      ),
      (
        .malformedCoding, .httpProtocol,
        "Content-Encoding has a name that is not known here, or more than two codings; known are gzip, deflate, "
          + "br and zstd"
      ), (.foreignCoding, .httpProtocol, "the body has a transfer coding that was not requested"),
      (.bodyTooLarge, .bodyTooLarge, "response body exceeds its limit"),
      (.flood, .httpProtocol, "the server sends without end what holds nothing of an answer"),
      (
        .late(.milliseconds(1234)), .local(.busy),
        "this machine was busy: its transfer thread was 1234 ms late"
      ), (.local(.trustStore, message: "no bundle"), .local(.trustStore), "no bundle"),
    ] as [(TransferStop, TransferFailureKind, String)])
  func stops(stop: TransferStop, kind: TransferFailureKind, words: String) {
    for code in [CURLE_OK, CURLE_WRITE_ERROR] {
      let end = TransferEnd(code: code, systemError: ECONNRESET, stop: stop, phase: .transfer)
      #expect(failure(end) == TransferFailure(kind, phase: .transfer, message: words))
      #expect(failure(end)?.timedOut == false)
    }
  }

  @Test func stopsThatAreNoFailure() {
    for stop in [TransferStop.goalReached, .enough, .expectationFailed] {
      let end = TransferEnd(code: CURLE_WRITE_ERROR, systemError: ECONNRESET, stop: stop, phase: .transfer)
      #expect(end.outcome == .complete)
    }
    let words = "the server does not offer HTTP/2 (h2 by ALPN)"
    let end = TransferEnd(code: CURLE_WRITE_ERROR, stop: .noHTTP2, phase: .firstByte)
    #expect(failure(end) == TransferFailure(.httpProtocol, phase: .tls, message: words))
    // Of the handshake itself, a flood of records is about TLS.
    let flood = TransferEnd(code: CURLE_RECV_ERROR, phase: .tls, handshake: HandshakeEnd(isFlooded: true))
    #expect(failure(flood)?.kind == .tls(.handshake) && failure(flood)?.message == HandshakeEnd.flood)
    let later = TransferEnd(code: CURLE_OK, phase: .transfer, handshake: HandshakeEnd(isFlooded: true))
    #expect(failure(later)?.kind == .httpProtocol && failure(later)?.message == HandshakeEnd.flood)
  }

  /// This machine's own faults stay its own where there is a proxy.
  @Test func ownFaultsBehindAProxy() {
    let late = TransferEnd(code: CURLE_OK, stop: .late(.seconds(1)), phase: .proxy, proxy: ProxyEnd())
    #expect(failure(late)?.kind == .local(.busy) && failure(late)?.timedOut == false)
    let own = TransferEnd(
      code: CURLE_OK, stop: .local(.memory, message: "m"), phase: .proxy, proxy: ProxyEnd(status: 502))
    #expect(failure(own) == TransferFailure(.local(.memory), phase: .proxy, message: "m"))
    let system = TransferEnd(
      code: CURLE_COULDNT_CONNECT, systemError: ECONNREFUSED, phase: .proxy, proxy: ProxyEnd())
    #expect(
      failure(system) == TransferFailure(.proxyConnect, phase: .proxy, message: "connection refused"))
    let challenged = TransferEnd(
      code: CURLE_OK, stop: .late(.seconds(1)), phase: .proxy, proxy: ProxyEnd(status: 407))
    #expect(failure(challenged)?.kind == .proxyAuthentication && failure(challenged)?.timedOut == false)
  }

  @Test(
    arguments: [
      (CURLPX_REPLY_CONNECTION_REFUSED, "the proxy says: connection refused"),
      (CURLPX_REPLY_HOST_UNREACHABLE, "the proxy says: host unreachable"),
      (CURLPX_REPLY_NETWORK_UNREACHABLE, "the proxy says: network unreachable"),
      (CURLPX_REPLY_NOT_ALLOWED, "the proxy's rules do not allow the connection"),
      (CURLPX_REPLY_GENERAL_SERVER_FAILURE, "the proxy says: general failure"),
      (CURLPX_REPLY_TTL_EXPIRED, "the proxy says: time to live expired"),
      (CURLPX_REPLY_COMMAND_NOT_SUPPORTED, "the proxy says: command not supported"),
      (CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, "the proxy says: address type not supported"),
      (CURLPX_BAD_VERSION, "what answers is no SOCKS 5 proxy"),
      (CURLPX_BAD_ADDRESS_TYPE, "the proxy's answer breaks the rules of SOCKS 5"),
      (CURLPX_CLOSED, "the proxy ended the connection"),
      (CURLPX_RECV_ADDRESS, "the proxy ended the connection"),
      (CURLPX_RECV_AUTH, "the proxy ended the connection"),
      (CURLPX_RECV_CONNECT, "the proxy ended the connection"),
      (CURLPX_RECV_REQACK, "the proxy ended the connection"),
      (CURLPX_SEND_AUTH, "the proxy took no more of the request"),
      (CURLPX_SEND_CONNECT, "the proxy took no more of the request"),
      (CURLPX_SEND_REQUEST, "the proxy took no more of the request"),
      (CURLPX_REPLY_UNASSIGNED, "the proxy refused with a code that SOCKS does not have"),
      (CURLPX_REQUEST_FAILED, "the proxy refused with a code that SOCKS does not have"),
      (CURLPX_UNKNOWN_FAIL, "the proxy refused with a code that SOCKS does not have"),
      (CURLPX_LONG_HOSTNAME, "the host name is too long for SOCKS 5"),
      (CURLPX_LONG_USER, "the login is too long for SOCKS 5"),
      (CURLPX_LONG_PASSWD, "the login is too long for SOCKS 5"),
      (CURLPX_GSSAPI, "the proxy wants a kind of login that is not supported"),
      (CURLPX_UNKNOWN_MODE, "the proxy wants a kind of login that is not supported"),
      (CURLPX_IDENTD, "the proxy did not make the connection"),
    ] as [(CURLproxycode, String)])
  func answersOfSOCKS(code: CURLproxycode, words: String) {
    let end = TransferEnd(code: CURLE_PROXY, phase: .proxy, proxy: ProxyEnd(code: code.rawValue))
    #expect(failure(end) == TransferFailure(.proxyConnect, phase: .proxy, message: words))
  }
}
