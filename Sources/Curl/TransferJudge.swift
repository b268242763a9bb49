// SPDX-License-Identifier: MIT

import Basics
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
  /// Of a transfer through a proxy.
  var proxy: ProxyEnd?
  /// For where libcurl's code does not say enough.
  var words = LibcurlWords.nothing
  /// The transfer may look whole, but a content coding did not come to its end, or the connection ended without TLS's
  /// farewell.
  var isCut = false
  /// HTTP/2 was spoken in clear text, to a server that is not known to understand it.
  var assumedHTTP2 = false
  /// The handshake chose HTTP/2.
  var choseHTTP2 = false
}

/// State that the proxy left behind.
struct ProxyEnd: Hashable {
  /// Its answer to CONNECT, or to a plain request; zero: none.
  var status = 0
  /// `CURLPX_…` of a SOCKS proxy; zero: none.
  var code: UInt32 = 0
  /// Kinds of login that its 407 offers.
  var logins: ProxyLogins = []
}

/// Kinds of login that an HTTP proxy offers in Proxy-Authenticate (RFC 9110 section 11.7.1), with libcurl's bits
/// (`CURLAUTH_…`). Others are not known by name.
struct ProxyLogins: OptionSet, Hashable {
  let rawValue: Int

  static let basic = ProxyLogins(rawValue: 1 << 0)
  private static let named: [(ProxyLogins, String)] = [
    (ProxyLogins(rawValue: 1 << 1), "Digest"), (ProxyLogins(rawValue: 1 << 2), "Negotiate"),
    (ProxyLogins(rawValue: 1 << 3), "NTLM"), (ProxyLogins(rawValue: 1 << 6), "Bearer"),
  ]

  /// Message about a proxy that did not take the credentials.
  var words: String {
    let names = Self.named.filter { contains($0.0) }.map(\.1)
    guard !contains(.basic), !names.isEmpty else { return "the proxy wants other credentials" }
    let offered = names.joined(separator: ", ")
    return "the proxy wants a kind of login that is not supported: it offers \(offered), and not Basic"
  }
}

/// Why the engine or a callback ended a transfer.
enum TransferStop: Hashable {
  /// The goal was reached at the end of the headers.
  case goalReached
  /// The body is longer than the part that is read, and no more is needed.
  case enough
  /// A 417 came whole, and libcurl was about to ask again.
  case expectationFailed
  case headersTooLarge
  case malformedHeader
  case bodyTooLarge
  case malformedCoding
  /// The body comes in a transfer coding that was not asked for.
  case foreignCoding
  /// The server refused the connection's only stream with REFUSED_STREAM (RFC 9113 section 8.7).
  case refusedStream
  /// The server refused HTTP/2 for this request with HTTP_1_1_REQUIRED (RFC 9113 section 7).
  case requiresHTTP1
  /// HTTP/2 was insisted on, and the handshake did not choose it.
  case noHTTP2
  /// `connectTimeout` passed, or libcurl missed its own limit.
  case deadline
  /// Data comes without end and holds no content.
  case flood
  /// The server did not get all its time: this machine was late by so much.
  case late(Duration)
  case local(LocalFault, message: String)
}

extension TransferEnd {
  /// Decides what the end of a transfer means. Pure: all it knows is in here.
  var outcome: TransferOutcome {
    let outcome = bareOutcome
    // The answer to a request that is already under way is a reset, which throws the server's alert away.
    guard case .failed(let failure) = outcome, handshake?.isRequestUnmet == true,
      failure.phase == .firstByte, failure.kind == .reset || failure.kind == .closed
    else { return outcome }
    return .failed(
      TransferFailure(
        .tls(.clientCertificate), phase: .tls,
        message: "\(failure.message): the server had asked for a client certificate"))
  }

  private var bareOutcome: TransferOutcome {
    if let proxy, let failure = proxyFailure(proxy) { return .failed(failure) }
    if let stop { return outcome(of: stop) }
    if handshake?.isFlooded == true { return flooded(HandshakeEnd.flood) }
    // libcurl is content with headers that end with the connection.
    if code == CURLE_OK, hasAnswer, isCut {
      return failed(.closed, "the connection ended before the answer was complete")
    }
    // Nor does it mind that the connection under an HTTP/2 stream broke.
    if code == CURLE_OK, words == .noFrames { return unreadable }
    if code == CURLE_OK { return hasAnswer ? .complete : closed }
    if code == CURLE_OPERATION_TIMEDOUT { return failed(.timeout, overtime) }
    if let failure = handshake?.failure(inHandshake: phase == .tls, inAnswer: phase == .transfer) {
      return .failed(failure)
    }
    if let damage = handshake?.damage { return failed(.httpProtocol, damage) }
    if let failure = systemFailure() { return .failed(failure) }
    return libraryFailure()
  }

  private func failed(_ kind: TransferFailureKind, _ message: String) -> TransferOutcome {
    .failed(TransferFailure(kind, phase: phase, message: message))
  }

  /// The step that had not happened when the time was over.
  private var overtime: String {
    phase.awaited.map { ConnectionWords.overdue($0) } ?? Self.proxyOverdue
  }

  private func outcome(of stop: TransferStop) -> TransferOutcome {
    switch stop {
    case .goalReached, .enough, .expectationFailed: .complete
    case .headersTooLarge:
      failed(.headersTooLarge, "response headers exceed 64 KiB, 200 fields or 20 interim answers")
    case .malformedHeader: failed(.httpProtocol, "response header breaks the rules of HTTP")
    case .refusedStream:
      failed(.closed, "the server refused the HTTP/2 stream before it processed the request (REFUSED_STREAM)")
    case .requiresHTTP1:
      failed(
        .closed,
        "the server requires HTTP/1.1 for this request (HTTP_1_1_REQUIRED): set http_version to auto or 1.1")
    case .malformedCoding:
      failed(
        .httpProtocol,
        "Content-Encoding has a name that is not known here, or more than two codings; known are gzip, deflate, br and zstd"
      )
    case .foreignCoding: failed(.httpProtocol, "the body has a transfer coding that was not requested")
    case .bodyTooLarge: failed(.bodyTooLarge, "response body exceeds its limit")
    case .noHTTP2:
      .failed(
        TransferFailure(.httpProtocol, phase: .tls, message: "the server does not offer HTTP/2 (h2 by ALPN)"))
    case .deadline: failed(.timeout, overtime)
    case .flood: flooded("the server sends without end what holds nothing of an answer")
    case .late(let span):
      failed(.local(.busy), "this machine was busy: its transfer thread was \(milliseconds(span)) ms late")
    case .local(let fault, let message): failed(.local(fault), message)
    }
  }

  /// nghttp2 could not read what came. Once there is an answer, its frames could be read until then.
  private var unreadable: TransferOutcome {
    failed(
      .httpProtocol,
      hasAnswer ? "the answer breaks the rules of HTTP/2" : "what the server sends is not HTTP/2")
  }

  private func flooded(_ message: String) -> TransferOutcome {
    failed(phase == .tls ? .tls(.handshake) : .httpProtocol, message)
  }

  /// `nil` where the failure is not known to be the proxy's.
  private func proxyFailure(_ proxy: ProxyEnd) -> TransferFailure? {
    let fails = { (kind: TransferFailureKind, words: String) in
      TransferFailure(kind, phase: .proxy, message: words, timedOut: isOverdue)
    }
    // Some proxies answer CONNECT with the code of an origin server.
    let isRefused = proxy.status == 407 || proxy.status == 401 && phase == .proxy
    if isRefused || proxy.code == CURLPX_USER_REJECTED.rawValue
      || proxy.code == CURLPX_NO_AUTH.rawValue
    {
      return fails(.proxyAuthentication, proxy.logins.words)
    }
    guard phase == .proxy else { return nil }
    switch stop {
    case .local, .late: return nil
    case .flood: return fails(.proxyConnect, "the proxy sends without end what makes no connection")
    default: break
    }
    if let failure = systemFailure(), case .local = failure.kind { return failure }
    if isOverdue {
      return fails(.proxyConnect, Self.proxyOverdue)
    }
    if (200...299).contains(proxy.status) {
      return fails(.proxyConnect, "the proxy's answer to CONNECT breaks the rules of HTTP")
    }
    if proxy.status != 0 { return fails(.proxyConnect, "the proxy answered CONNECT with \(proxy.status)") }
    if proxy.code != 0 { return fails(.proxyConnect, socksWords(proxy.code)) }
    return fails(.proxyConnect, systemFailure()?.message ?? "the proxy ended the connection")
  }

  private static let proxyOverdue = "the proxy made no connection within the time limit"

  private var isOverdue: Bool {
    if case .late = stop { return false }
    return stop == .deadline || code == CURLE_OPERATION_TIMEDOUT
  }

  private var closed: TransferOutcome {
    // Whatever came was no answer: HTTP/1.1's "400 Bad Request", as a rule, of which libcurl tells nothing.
    let doubt = assumedHTTP2 && phase == .firstByte ? ": it may not speak HTTP/2 without TLS" : ""
    return failed(.closed, ConnectionWords.closed(inHandshake: phase == .tls) + doubt)
  }

  private func systemFailure() -> TransferFailure? {
    guard systemError != 0 else { return nil }
    let words = ConnectionWords.failed(systemError)
    let kind: TransferFailureKind
    switch systemError {
    case ECONNREFUSED: kind = .connectRefused
    case EHOSTUNREACH, EHOSTDOWN, ENONET, ENOPROTOOPT, EPROTO, ENOANO: kind = .unreachable
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
    // A connection that ends leaves the stream unclean, which has another code. What is left is what is no frame, and
    // an answer that RST_STREAM with NO_ERROR ends early, which libcurl 7.88 drops. Nothing tells the two apart.
    case CURLE_GOT_NOTHING where choseHTTP2:
      return failed(
        .httpProtocol,
        "the HTTP/2 stream ended before its answer could be read, or what the server sends is not HTTP/2")
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR,
      CURLE_SSL_SHUTDOWN_FAILED:
      return closed
    case CURLE_RECV_ERROR where words == .noFrames: return unreadable
    // Without an errno it is the end of an encrypted stream without its farewell, or a chunk that is none.
    case CURLE_RECV_ERROR where handshake != nil && words != .brokenChunk: return closed
    // PROTOCOL_ERROR (RFC 9113 section 7): what libcurl says of an answer that HTTP/2 does not allow.
    case CURLE_HTTP2_STREAM where words == .streamProtocolError:
      return failed(
        .httpProtocol, "the answer breaks the rules of HTTP/2, or the server says that the request does")
    case CURLE_HTTP2_STREAM where words == .nothing && hasAnswer:
      return failed(.closed, "the server ended the HTTP/2 stream before it took the request's body")
    // Legal, and no answer: RST_STREAM or GOAWAY.
    case CURLE_HTTP2_STREAM: return failed(.reset, "the server broke the request off over HTTP/2")
    case CURLE_HTTP2: return failed(.reset, "the HTTP/2 connection was ended before the answer was complete")
    // Of HTTP/0.9, which is any text at all.
    case CURLE_UNSUPPORTED_PROTOCOL:
      return failed(
        .httpProtocol,
        "no HTTP status line came: another protocol, or HTTP/2 without TLS (http_version: 2)")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_RECV_ERROR,
      CURLE_WRITE_ERROR:
      return failed(.httpProtocol, "the answer breaks the rules of HTTP")
    case CURLE_OUT_OF_MEMORY where phase == .firstByte || phase == .transfer:
      // libcurl's own limit for one header line (100 KiB) falls before ours can see the line.
      return failed(.headersTooLarge, "a response header is too long")
    // Once the request went out, what is wrong came from the server: a trailer that is none, say.
    case _ where phase == .firstByte || phase == .transfer:
      return failed(.httpProtocol, "the answer breaks the rules of HTTP")
    case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
      return failed(.local(.request), "the url or an option cannot be used")
    default:
      return failed(
        .local(.library(code: Int32(bitPattern: code.rawValue))), "libcurl failed with code \(code.rawValue)")
    }
  }
}

/// The answer of a SOCKS proxy (RFC 1928 section 6), in fixed words.
private func socksWords(_ code: UInt32) -> String {
  switch code {
  case CURLPX_REPLY_CONNECTION_REFUSED.rawValue: "the proxy says: connection refused"
  case CURLPX_REPLY_HOST_UNREACHABLE.rawValue: "the proxy says: host unreachable"
  case CURLPX_REPLY_NETWORK_UNREACHABLE.rawValue: "the proxy says: network unreachable"
  case CURLPX_REPLY_NOT_ALLOWED.rawValue: "the proxy's rules do not allow the connection"
  case CURLPX_REPLY_GENERAL_SERVER_FAILURE.rawValue: "the proxy says: general failure"
  case CURLPX_REPLY_TTL_EXPIRED.rawValue: "the proxy says: time to live expired"
  case CURLPX_REPLY_COMMAND_NOT_SUPPORTED.rawValue: "the proxy says: command not supported"
  case CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED.rawValue: "the proxy says: address type not supported"
  case CURLPX_BAD_VERSION.rawValue: "what answers is no SOCKS 5 proxy"
  case CURLPX_BAD_ADDRESS_TYPE.rawValue: "the proxy's answer breaks the rules of SOCKS 5"
  case CURLPX_CLOSED.rawValue, CURLPX_RECV_ADDRESS.rawValue, CURLPX_RECV_AUTH.rawValue,
    CURLPX_RECV_CONNECT.rawValue, CURLPX_RECV_REQACK.rawValue:
    "the proxy ended the connection"
  case CURLPX_SEND_AUTH.rawValue, CURLPX_SEND_CONNECT.rawValue, CURLPX_SEND_REQUEST.rawValue:
    "the proxy took no more of the request"
  case CURLPX_REPLY_UNASSIGNED.rawValue, CURLPX_REQUEST_FAILED.rawValue, CURLPX_UNKNOWN_FAIL.rawValue:
    "the proxy refused with a code that SOCKS does not have"
  case CURLPX_LONG_HOSTNAME.rawValue: "the host name is too long for SOCKS 5"
  case CURLPX_LONG_USER.rawValue, CURLPX_LONG_PASSWD.rawValue: "the login is too long for SOCKS 5"
  case CURLPX_GSSAPI.rawValue, CURLPX_GSSAPI_PERMSG.rawValue, CURLPX_GSSAPI_PROTECTION.rawValue,
    CURLPX_UNKNOWN_MODE.rawValue:
    "the proxy wants a kind of login that is not supported"
  default: "the proxy did not make the connection"
  }
}
