// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc

// What libcurl calls back on the engine's thread. Each gets the transfer as its context.

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

/// CURLOPT_HEADERFUNCTION: one line at a time. Anything but the line's length ends the transfer.
func takeHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let transfer = transfer(context)
  let length = size * count
  transfer.arrived(length)
  if transfer.seen.firstLine == nil {
    let now = Instant.now
    transfer.arrivals.look(at: now)
    // From here on the answer is being read.
    transfer.arrivals.forget(transfer)
    transfer.seen.firstLine = now
    transfer.goesOn(with: .answer, at: now)
  }
  // Interim answers and trailers are counted, too, though they are not kept: it is 64 KiB at most.
  guard transfer.lease.grow(by: length) else {
    transfer.stop = .local(.memory, message: TransferFailure.noMemory)
    return 0
  }
  switch transfer.headers.take(UnsafeRawBufferPointer(start: bytes, count: length)) {
  case .more: return length
  case .interim:
    transfer.awaitAnswer()
    return length
  case .final:
    guard transfer.headers.httpVersion != "2" || transfer.mayBeHTTP2 else {
      transfer.stop = .malformedHeader
      return 0
    }
    transfer.seen.headersEnd = .now
    let isEnough =
      transfer.request.stopsAtRedirect && transfer.headers.isRedirect
      || transfer.request.stopsAtChallenge && transfer.headers.statusCode == 401
      || transfer.request.stopsAtStream && transfer.headers.isStream
    if transfer.readsBody, !isEnough, transfer.headers.hasForeignCoding {
      transfer.stop = .foreignCoding
      return 0
    }
    guard transfer.request.goal == .headers || isEnough else { return length }
    transfer.stop = .goalReached
  case .tooLarge: transfer.stop = .headersTooLarge
  case .malformed: transfer.stop = .malformedHeader
  }
  return 0
}

/// CURLOPT_WRITEFUNCTION: the next bytes of the body. MAXFILESIZE protects nothing on 7.88, so the limit is held here.
func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let transfer = transfer(context)
  let length = size * count
  transfer.arrived(length)
  transfer.seen.lastWrite = .now
  if case .drain(let limit) = transfer.request.goal {
    transfer.body.drained += length
    transfer.keepBeginning(UnsafeRawBufferPointer(start: bytes, count: length))
    if transfer.body.drained <= limit { return length }
    transfer.stop = .enough
    return 0
  }
  guard case .body(let limit) = transfer.request.goal else { return length }
  if let stream = transfer.request.stream {
    if stream(Array(UnsafeRawBufferPointer(start: bytes, count: length))) { return length }
    transfer.stop = .goalReached
    return 0
  }
  guard let stop = transfer.keep(UnsafeRawBufferPointer(start: bytes, count: length), limit: limit) else {
    return length
  }
  transfer.stop = stop
  return 0
}

/// CURLOPT_OPENSOCKETFUNCTION: the last look at the address before it is dialled.
func openPinnedSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return CURL_SOCKET_BAD }
  let transfer = transfer(context)
  guard transfer.seen.connectStart == nil else {
    transfer.stop = transfer.reasonToDialAgain
    return CURL_SOCKET_BAD
  }
  switch transfer.request.plan {
  case .address(let peer):
    guard leads(address, to: peer) else { return refuseAddress(transfer) }
  case .connected(let socket):
    guard leads(address, to: socket.peer) else { return refuseAddress(transfer) }
    return handOver(socket, to: transfer)
  case nil: return refuseAddress(transfer)
  case .unixSocket:
    guard address.pointee.family == AF_UNIX else { return refuseAddress(transfer) }
  }
  let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
  let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
  if descriptor < 0 {
    transfer.socketError = errno
    return CURL_SOCKET_BAD
  }
  if let peer = transfer.request.plan?.peer, peer.bindSource(of: descriptor) != 0 {
    transfer.socketError = errno
    _ = close(descriptor)
    return CURL_SOCKET_BAD
  }
  RouterReports.ask(on: descriptor, address.pointee.family)
  transfer.seen.connectStart = .now
  transfer.hold(descriptor)
  transfer.arrivals.await(.connection, on: descriptor, for: transfer)
  return descriptor
}

extension Transfer {
  /// Cause of a second connection. libcurl makes one by itself when an HTTP/2 server refuses the stream or requires
  /// HTTP/1.1, and after a 417, to ask without the expectation. A transfer is one connection, and the 417 is the answer.
  fileprivate var reasonToDialAgain: TransferStop {
    if hasFailedExpectation { return .expectationFailed }
    return LibcurlWords.requiresHTTP1(pins.words) ? .requiresHTTP1 : .refusedStream
  }
}

/// Whether what libcurl is about to dial is the address that was judged.
func leads(_ address: UnsafePointer<curl_sockaddr>, to peer: SocketAddress) -> Bool {
  SocketAddress(family: address.pointee.family, at: quartz_curl_place(address))?.isPlace(of: peer) == true
}

/// The connection is libcurl's from here on. Its other end is asked for once more: it must be the one that was judged.
private func handOver(_ socket: ConnectedSocket, to transfer: Transfer) -> curl_socket_t {
  guard let descriptor = socket.take() else { return refuseAddress(transfer) }
  guard let far = socketName(descriptor, getpeername), far.isPlace(of: socket.peer) else {
    let code = errno
    _ = close(descriptor)
    // It stood when it was handed over: the other side has reset it since.
    guard code == ENOTCONN else { return refuseAddress(transfer) }
    transfer.socketError = ECONNRESET
    (transfer.seen.connectStart, transfer.seen.connected) = (.now, .now)
    return CURL_SOCKET_BAD
  }
  let now = Instant.now
  (transfer.seen.connectStart, transfer.seen.connected) = (now, now)
  transfer.hold(descriptor)
  transfer.noteConnection()
  return descriptor
}

/// CURLOPT_CLOSESOCKETFUNCTION: who looks after it is told before the descriptor's number can be another's.
func closeSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
  if let context { Unmanaged<EngineSockets>.fromOpaque(context).takeUnretainedValue().closing(descriptor) }
  return close(descriptor)
}

/// CURLOPT_SOCKOPTFUNCTION of a socket that was handed over: there is nothing to connect.
func keepConnection(
  _ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ purpose: curlsocktype
) -> Int32 { Int32(CURL_SOCKOPT_ALREADY_CONNECTED) }

private func refuseAddress(_ transfer: Transfer) -> curl_socket_t {
  transfer.stop = .local(.addressMismatch, message: "the address to dial is not the one that was judged")
  return CURL_SOCKET_BAD
}

/// CURLOPT_PREREQFUNCTION: the connection stands, the request is about to go out.
func allowRequest(
  _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?,
  _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_ABORT }
  let transfer = transfer(context)
  let now = Instant.now
  transfer.spin.noteProgress()
  transfer.arrivals.look(at: now)
  transfer.noteConnection()
  if transfer.seen.connected == nil {
    transfer.endReports()
    transfer.seen.connected = transfer.hasTunnel ? now : transfer.seen.writableSince ?? now
  }
  transfer.seen.requestStart = now
  transfer.goesOn(with: transfer.judge == nil ? .connection : .request, at: now)
  transfer.awaitAnswer()
  // A handshake without a certificate never met the judge. None is configured; if one came about, it ends here.
  if let judge = transfer.judge, judge.report == nil {
    transfer.stop = .local(.library(code: 0), message: "tls was set up without a certificate")
    return CURL_PREREQFUNC_ABORT
  }
  if let judge = transfer.judge, transfer.request.httpVersion == .http2, judge.chosenProtocol != "h2" {
    transfer.stop = .noHTTP2
    return CURL_PREREQFUNC_ABORT
  }
  return CURL_PREREQFUNC_OK
}

/// CURLOPT_SSL_CTX_FUNCTION: called when TCP stands and TLS begins.
func takeOverTLS(
  _ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> CURLcode {
  guard let context, let argument else { return CURLE_ABORTED_BY_CALLBACK }
  let transfer = transfer(argument)
  transfer.spin.noteProgress()
  transfer.arrivals.look()
  transfer.noteConnection()
  if transfer.seen.connected == nil || transfer.hasTunnel {
    transfer.endReports()
    transfer.seen.connected = transfer.hasTunnel ? .now : transfer.seen.writableSince ?? .now
  }
  transfer.goesOn(with: .connection, at: .now)
  guard let judge = transfer.judge, judge.configure(OpaquePointer(context)) else {
    let fault = transfer.judge?.fault
    transfer.stop = .local(
      fault == nil ? .library(code: 0) : .request, message: fault ?? "openssl refused its settings")
    return CURLE_ABORTED_BY_CALLBACK
  }
  return CURLE_OK
}
