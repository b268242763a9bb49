// SPDX-License-Identifier: MIT

import Basics
import CCurl
import COpenSSL

/// One transfer on the engine's thread: libcurl's handle, what its callbacks noted, and who waits for the report.
///
/// Never leaves that thread. The handle's options point into this object, so it lives until `pins.release()`.
final class Transfer {
  let ticket: TransferTicket
  /// In the engine's table.
  var number = TransferTable.none
  /// The arrival clock's place for it; `nil` when nothing is awaited.
  var lookout: Int?
  /// Of the connection; negative: there is none yet.
  var descriptor: Int32 = -1
  /// The kernel's figures of the connection, read last. `nil` before the first reading.
  private(set) var tcp: TransportFacts?
  private var isClosed = false
  /// A firewall on the way prohibits the connection, as the error queue says of one that failed.
  private(set) var isProhibited = false
  var handle: EasyHandle
  var easy: UnsafeMutableRawPointer { handle.easy }
  let started = Instant.now
  /// Of its server.
  var allowance: TimeAllowance
  /// Milestones that were passed, and the time of the last.
  var passed: Milestone = []
  var lastServed = Instant.now
  var turnsBeyond = 0
  let arrivals: ArrivalClock
  let sockets: EngineSockets
  var spin: SpinGuard { sockets.spin }
  /// Bytes of header lines and body that arrived, before a content coding is undone.
  var delivered = 0
  /// Set for https.
  var judge: HandshakeJudge?
  var headers = HeaderAccumulator()
  var body = TransferBody()
  var stop: TransferStop?
  /// All options were taken.
  var wasAccepted = false
  var seen = TransferStamps()
  /// errno of our own socket call.
  var socketError: Int32 = 0
  var pins = TransferPins()
  /// Its part of the memory for all transfers under way.
  let lease: MemoryLease
  let memory: MemoryBudget

  var request: TransferRequest { ticket.request }
  var sendsBody: Bool {
    switch request.method {
    case "HEAD": false
    case "POST", "PUT", "PATCH": true
    default: request.body != nil
    }
  }
  /// The end of the body is what is waited for, if the answer has one.
  var readsBody: Bool {
    switch request.goal {
    case .body, .drain: request.method != "HEAD"
    case .headers, .handshake: false
    }
  }
  /// Whether its answer's body is for the report.
  var keepsBody: Bool { if case .body = ticket.request.goal { true } else { false } }
  /// The server did not want what it was promised.
  var hasFailedExpectation: Bool {
    sendsBody && seen.headersEnd != nil && headers.statusCode == 417
  }
  /// Whether the URL's scheme is https.
  var isEncrypted: Bool { ticket.isEncrypted }
  /// Whether the handle's other options are all set again by the next transfer, so that it needs no reset.
  var isPlain: Bool { ticket.isPlain }
  /// Whether an answer may call itself HTTP/2: it cannot begin in clear text without our own preface.
  var mayBeHTTP2: Bool { request.httpVersion == .http2 || request.httpVersion == .auto && isEncrypted }
  /// Whether a proxy makes a connection of its own to the target before anything of the request is sent.
  var hasTunnel: Bool {
    guard let proxy = request.proxy else { return false }
    return proxy.scheme == .socks5h || isEncrypted
  }

  /// - Parameter handle: the loop's to clean up.
  init(
    _ ticket: TransferTicket, _ handle: EasyHandle, arrivals: ArrivalClock, memory: MemoryBudget = .shared,
    sockets: EngineSockets
  ) {
    self.memory = memory
    lease = MemoryLease(memory, for: ticket.request.origin)
    allowance = TimeAllowance(ticket.request.timeout)
    self.ticket = ticket
    self.arrivals = arrivals
    self.sockets = sockets
    self.handle = handle
  }

  /// Header or body arrived: this is no flood.
  func arrived(_ count: Int) {
    delivered += count
    spin.noteProgress()
  }

  /// The connection's socket, until libcurl closes it.
  func hold(_ descriptor: Int32) {
    self.descriptor = descriptor
    sockets.hold(descriptor, for: number)
    spin.noteProgress()
  }

  /// Connecting is over, whatever it came to: what was sent again were SYNs. Only the first call is.
  func noteConnection() {
    guard tcp == nil, descriptor >= 0, !isClosed else { return }
    if case .connected(let socket) = request.plan {
      tcp = TransportFacts(of: descriptor, synRetransmits: socket.synRetransmits)
    } else {
      tcp = TransportFacts(connecting: descriptor)
    }
  }

  /// The last look at the connection.
  ///
  /// - Parameter closing: its descriptor is not ours from here on.
  func noteConnectionEnd(closing: Bool = false) {
    guard descriptor >= 0, !isClosed else { return }
    defer { isClosed = closing }
    if seen.connected == nil, RouterReports.takeProhibition(on: descriptor) { isProhibited = true }
    if let synRetransmits = tcp?.synRetransmits {
      tcp = TransportFacts(of: descriptor, synRetransmits: synRetransmits) ?? tcp
    } else {
      noteConnection()
    }
  }

  /// The connection stands: what a router reports from here on would break it.
  func endReports() {
    guard descriptor >= 0, let family = request.plan?.peer?.family else { return }
    RouterReports.end(on: descriptor, family)
  }

  /// Whether it has read far more than it was given.
  var isFlooded: Bool {
    guard let consumed = spin.consumed(descriptor, by: number) else { return false }
    return WireBudget.isSpent(consumed: consumed, delivered: delivered)
  }

  func note(_ what: Arrival, at instant: Instant) {
    seen.note(what, at: instant)
    if what == .connection { noteConnection() }
  }

  /// The request went out, or an interim answer is over: what comes next may be the final answer.
  func awaitAnswer() {
    (seen.firstLine, seen.readableSince) = (nil, nil)
    // Not for TLS, where what comes first may be the handshake's last, nor for HTTP/2, where it is the connection's own.
    if judge == nil, request.httpVersion != .http2 {
      arrivals.await(.answer, on: descriptor, for: self)
    } else {
      arrivals.forget(self)
    }
  }

  /// Keeps more of the body, coded as it is. Bytes beyond its limit are left out.
  ///
  /// - Returns: why the transfer ends; `nil` while it goes on.
  func keep(_ bytes: UnsafeRawBufferPointer, limit: Int) -> TransferStop? {
    if request.decompress, !body.learn(headers.block.values("content-encoding")) { return .malformedCoding }
    return body.keep(bytes, limit: limit, lease)
  }

  /// Keeps the beginning of a body without conditions, for display. Where there is no memory, less of it.
  func keepBeginning(_ bytes: UnsafeRawBufferPointer) {
    guard request.keepsBeginning, !headers.block.has("content-encoding") else { return }
    _ = body.keep(bytes, limit: 16 * 1024, lease)
  }

  /// Only a plain transfer sets again all that the plain one before it had set. For any other the handle is made new
  /// first: what it still points to (the pinned address, say) was freed.
  func shedPreparation() {
    if handle.isPrepared, !isPlain { handle.reset() }
  }
}
