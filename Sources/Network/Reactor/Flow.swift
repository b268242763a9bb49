// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Curl
import Glibc
import Monitoring

/// One socket with its conversation, from `socket` to `close`. Made, used and released on the reactor's thread.
final class Flow: ReactorFlow {
  /// The conversation.
  private let hear: (FlowEvent, Instant) -> ConversationStep
  private let transport: Transport
  private let peer: SocketAddress
  /// When the other side has had all its time.
  private var deadline: Instant { started + allowance.whole }
  private var allowance: TimeAllowance
  /// When the thread had last done something for it.
  private var lastServed = Instant.now
  /// Stands already; nil: `peer` is dialled.
  private let connection: ConnectedSocket?
  /// Called with how it went, with nil when it was cancelled. Taken when it is called, so that it is called once.
  private var end: ((FlowReport?) -> Void)?
  private var report: FlowReport?
  private var socket: Descriptor?
  /// The socket is one that may serve other flows after this one.
  private var isShared = false
  private var id: UInt64 = 0
  private var started = Instant.now
  private var connected: Instant?
  private var firstByte: Instant?
  private var hopsLeft: Int?
  /// The kernel's figures of the TCP connection when it was established.
  private var tcp: TransportFacts?
  /// A router knew no way for a datagram. It may for the next one, which is why that is no end of its own.
  private var isUnreachable = false
  private var wake: Instant?
  /// The earliest instant the loop was asked to call at. Most flows are over long before their deadline, and each wish
  /// costs a place in the loop's heap until it has passed.
  private var alarm: Instant?
  /// Bytes of the stream the socket would not take yet.
  private var unsent: [UInt8] = []
  /// Which of its datagrams have left.
  private var departures = Departures(from: nil)
  /// When what was served last had waited for the thread, and until when.
  private var wait: (from: Instant, until: Instant)?
  /// The part of the last wait that is in no time of the flow's.
  private var overlap = Duration.zero
  /// The events that epoll watches the socket for; zero for none yet.
  private var interest: UInt32 = 0

  /// Reads in one go before other flows get their turn.
  private let readsPerTurn = 16

  init(
    over transport: Transport, with peer: SocketAddress, limit: Duration,
    on connection: ConnectedSocket? = nil, hear: @escaping (FlowEvent, Instant) -> ConversationStep,
    end: @escaping (FlowReport?) -> Void
  ) {
    self.connection = connection
    self.transport = transport
    self.peer = peer
    allowance = TimeAllowance(limit)
    self.hear = hear
    self.end = end
  }

  func begin(_ id: UInt64, on loop: ReactorLoop) -> Bool {
    self.id = id
    started = .now
    if started >= deadline { return finish(.timedOut, at: started, on: loop) }
    if let connection {
      // Taken by somebody else: nobody can tell what became of it.
      guard let opened = Descriptor(connection.take() ?? -1) else {
        return finish(.failed(EBADF), at: .now, on: loop)
      }
      socket = consume opened
      return connectionStands(at: .now, on: loop) && setAlarm(on: loop)
    }
    guard let number = open(on: loop) else { return finish(.failed(errno), at: .now, on: loop) }
    started = .now
    let result = peer.withPointer { connect(number, $0, $1) }
    if result == 0 { return connectionStands(at: .now, on: loop) && setAlarm(on: loop) }
    let code = errno
    guard code == EINPROGRESS else { return finish(.failed(code), at: .now, on: loop) }
    return expect(EPOLLOUT.rawValue, on: loop) && setAlarm(on: loop)
  }

  /// `nil` when a call failed; `errno` says why.
  private func open(on loop: ReactorLoop) -> Int32? {
    isShared = transport == .udp && peer.source == nil
    guard let opened = Descriptor(isShared ? loop.borrow(peer.family, id) : openSocket(transport, to: peer))
    else { return nil }
    let number = opened.number
    socket = consume opened
    if isShared {
      interest = EPOLLIN.rawValue
      departures = Departures(from: loop.nextDeparture(of: number))
    } else if transport != .tcp {
      departures = Departures(from: loop.askForStamps(number) ? 0 : nil)
    }
    return number
  }

  /// Sees to it that the loop calls at the next instant that matters. Always true.
  private func setAlarm(on loop: ReactorLoop) -> Bool {
    let next = min(wake ?? deadline, deadline)
    if alarm.map({ next < $0 }) ?? true {
      alarm = next
      loop.wake(id, at: next)
    }
    return true
  }

  func ready(_ events: UInt32, at now: Instant, on loop: ReactorLoop) -> Bool {
    // What came waited for the thread, which was with others.
    let begin = max(loop.readySince, lastServed)
    let end = Instant.now
    wait = (begin, end)
    allowance.hold(begin.duration(to: end))
    defer { lastServed = .now }
    return serve(events, at: now, on: loop)
  }

  private func serve(_ events: UInt32, at now: Instant, on loop: ReactorLoop) -> Bool {
    guard let number = socket?.number else { return false }
    if connected == nil {
      let code = pendingError(number)
      switch code {
      case 0: return connectionStands(at: now, on: loop)
      case ECONNRESET: return connectionStood(at: now, on: loop)
      default: return finish(.failed(connectError(number, code)), at: now, on: loop)
      }
    }
    if transport != .tcp, events & EPOLLERR.rawValue != 0 || departures.missing > 0,
      !takeErrors(number, at: now, on: loop)
    {
      return false
    }
    if events & EPOLLOUT.rawValue != 0, !unsent.isEmpty, !flush(number, on: loop) { return false }
    return receive(number, at: now, on: loop)
  }

  func timer(at now: Instant, on loop: ReactorLoop) -> Bool {
    if now >= deadline {
      return finish(isUnreachable ? .failed(EHOSTUNREACH) : .timedOut, at: now, on: loop)
    }
    if let alarm, alarm <= now { self.alarm = nil }
    guard let wake, wake <= now else { return setAlarm(on: loop) }
    self.wake = nil
    return follow(hear(.woke, now), at: now, on: loop) && setAlarm(on: loop)
  }

  func cancel() {
    socket = nil
    settle()
  }

  func settle() {
    end?(report)
    end = nil
  }

  private func connectionStands(at now: Instant, on loop: ReactorLoop) -> Bool {
    guard let number = socket?.number else { return false }
    // Where nobody listens on an ephemeral port, the kernel may pick that very port for our end and join the
    // socket with itself (simultaneous open, RFC 9293 3.5): nobody is there, which is a refusal.
    if transport == .tcp, isSelfConnected(number, peer) {
      return finish(.failed(ECONNREFUSED), at: now, on: loop)
    }
    noteConnection(number)
    connected = now
    return follow(hear(.opened, now), at: now, on: loop)
  }

  private func noteConnection(_ number: Int32) {
    guard transport == .tcp else { return }
    if connection == nil { RouterReports.end(on: number, peer.family) }
    if let connection {
      tcp = TransportFacts(synRetransmits: connection.synRetransmits)
    } else {
      tcp = TransportFacts(connecting: number)
    }
  }

  /// The last look at the connection.
  private func transportFacts(_ end: FlowReport.End, at now: Instant) -> TransportFacts? {
    guard transport == .tcp, let number = socket?.number, interest != 0 || connected != nil else {
      return nil
    }
    guard connected != nil else { return TransportFacts(connecting: number) }
    // Nothing was said on it: it was looked at just now.
    if end == .done, connected == now, connection == nil { return tcp }
    return TransportFacts(of: number, synRetransmits: tcp?.synRetransmits ?? 0) ?? tcp
  }

  /// The reset came before we looked. An attempt that is reset is "refused" (RFC 9293 3.5.2); "reset" is what
  /// the kernel calls the end of a connection that stood, so the verdict does not hang on who was faster.
  private func connectionStood(at now: Instant, on loop: ReactorLoop) -> Bool {
    if let number = socket?.number { noteConnection(number) }
    connected = now
    let isDone = hear(.opened, now).isDone
    return finish(isDone ? .done : .failed(ECONNRESET), at: now, on: loop)
  }

  /// Does what the conversation asks for. False when the flow ended.
  private func follow(_ step: ConversationStep, at now: Instant, on loop: ReactorLoop) -> Bool {
    if let wake = step.wake {
      self.wake = wake
      // The first wish is joined with the deadline's when the flow has begun.
      if alarm != nil { _ = setAlarm(on: loop) }
    }
    if let bytes = step.send {
      guard let number = socket?.number else { return false }
      if transport == .tcp {
        unsent += bytes
        if !flush(number, on: loop) { return false }
      } else if !say(bytes, number) {
        return finish(.failed(errno), at: .now, on: loop)
      } else if transport == .udp, departures.missing > 0 {
        // Nearly always it has left by now: to be told would cost the loop a turn.
        if case .ended = takeError(number, at: now, on: loop) { return false }
      }
    }
    if step.isDone { return finish(.done, at: now, on: loop) }
    return expect(EPOLLIN.rawValue | (unsent.isEmpty ? 0 : EPOLLOUT.rawValue), on: loop)
  }

  private func say(_ bytes: [UInt8], _ number: Int32) -> Bool {
    let outcome = sendDatagram(bytes, number)
    departures.send(isSure: outcome == .sent)
    // The error may be about an earlier packet: it is in the error queue as well, and what is sent now is not sent yet.
    return outcome != .failed || sendDatagram(bytes, number) != .failed
  }

  /// When a datagram left. The time of a question begins with it.
  private func note(_ notes: PacketNotes, on loop: ReactorLoop) {
    guard let number = notes.departure, let stamp = notes.stamp, let place = departures.arrived(number),
      let instant = loop.instant(of: stamp, notBefore: started)
    else { return }
    if place == 0, transport == .udp { started = instant }
    _ = hear(.left(place), instant)
  }

  private func receive(_ number: Int32, at now: Instant, on loop: ReactorLoop) -> Bool {
    var (now, hasSpoken) = (now, false)
    for _ in 0..<readsPerTurn {
      let packet =
        transport == .tcp
        ? ReceivedPacket(count: read(number, &loop.buffer))
        : readPacket(number, &loop.buffer, &loop.control)
      let count = packet.count
      // What answers something said in this very turn came after the turn began.
      if hasSpoken, count >= 0 { (now, hasSpoken) = (.now, false) }
      if count < 0 {
        let code = errno
        if code == EAGAIN || code == EINTR { return true }
        // An error that came since the queue was looked at.
        if transport != .tcp {
          switch takeError(number, at: now, on: loop) {
          case .goesOn: continue
          case .ended: return false
          case .nothing: break
          }
        }
        return finish(.failed(transport.isICMP ? code : networkError(code)), at: now, on: loop)
      }
      if count == 0, transport == .tcp { return finish(.closed, at: now, on: loop) }
      let came = packet.notes.stamp.flatMap { loop.instant(of: $0, notBefore: started) }
      if firstByte == nil { firstByte = came ?? now }
      let sender = transport.isICMP ? packet.sender : nil
      let step = hear(.received(loop.buffer[..<count], from: sender), came ?? now)
      // Of what was no reply of ours nobody asks.
      if let hops = packet.notes.hopsLeft { hopsLeft = hops }
      if step == .wait { continue }
      if step.isDone, let came { forgetWait(since: came) }
      if !follow(step, at: came ?? now, on: loop) { return false }
      hasSpoken = hasSpoken || step.send != nil
    }
    return true
  }

  /// The stamp says when the last of it came: what it waited for us since then is in no time that is told.
  private func forgetWait(since came: Instant) {
    guard let wait, wait.until > came else { return }
    overlap = max(wait.from, came).duration(to: wait.until)
  }

  private enum ErrorTaken { case nothing, goesOn, ended }

  /// One entry of the error queue: a stamp, or what was said about one of our packets.
  private func takeError(_ number: Int32, at now: Instant, on loop: ReactorLoop) -> ErrorTaken {
    let packet = readPacket(number, &loop.buffer, &loop.control, ofErrors: true)
    guard packet.count >= 0 else { return .nothing }
    note(packet.notes, on: loop)
    guard let error = packet.notes.error else { return .goesOn }
    guard transport.isICMP else { return take(networkError(error.code), at: now, on: loop) }
    let quoted = loop.buffer[..<min(packet.count, loop.buffer.count)]
    return follow(hear(.refused(error, about: quoted), now), at: now, on: loop) ? .goesOn : .ended
  }

  /// A report about a datagram: only that there is no way is not the end of it (RFC 1122, section 3.2.2.1).
  private func take(_ code: Int32, at now: Instant, on loop: ReactorLoop) -> ErrorTaken {
    isUnreachable = isUnreachable || code == EHOSTUNREACH
    if code != EHOSTUNREACH { _ = finish(.failed(code), at: now, on: loop) }
    return code == EHOSTUNREACH ? .goesOn : .ended
  }

  private func takeErrors(_ number: Int32, at now: Instant, on loop: ReactorLoop) -> Bool {
    for _ in 0..<readsPerTurn {
      switch takeError(number, at: now, on: loop) {
      case .goesOn: continue
      case .ended: return false
      case .nothing: return true
      }
    }
    return true
  }

  /// Sends what the stream takes now. False when the flow ended.
  private func flush(_ number: Int32, on loop: ReactorLoop) -> Bool {
    while !unsent.isEmpty {
      let count = send(number, unsent, unsent.count, Int32(MSG_NOSIGNAL))
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { break }
        return finish(.failed(errno), at: .now, on: loop)
      }
      unsent.removeFirst(count)
    }
    return expect(EPOLLIN.rawValue | (unsent.isEmpty ? 0 : EPOLLOUT.rawValue), on: loop)
  }

  private func expect(_ events: UInt32, on loop: ReactorLoop) -> Bool {
    guard events != interest, let number = socket?.number else { return true }
    let code = loop.watch(number, id, events, isNew: interest == 0)
    interest = events
    return code == 0 ? true : finish(.failed(code), at: .now, on: loop)
  }

  private func finish(_ end: FlowReport.End, at now: Instant, on loop: ReactorLoop) -> Bool {
    let tcp = transportFacts(end, at: now)
    let isOpened = socket?.number != nil
    // Closed before the caller goes on: its next socket may need this descriptor.
    let used = socket.take()
    if isShared, end == .done, let number = used?.release() {
      loop.giveBack(number, peer.family, nextDeparture: departures.next)
    }
    report = FlowReport(
      end: end, started: started, connected: connected, firstByte: firstByte, ended: now, deadline: deadline,
      held: max(.zero, allowance.held - overlap),
      lateness: max(loop.lateness(since: started), allowance.excess), hopsLeft: hopsLeft,
      tcp: tcp, isOpened: isOpened)
    loop.settle(self)
    return false
  }
}
