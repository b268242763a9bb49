// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import Synchronization

/// Sends the request of a hop, and once more over the other version where the server demands it and the check leaves the
/// version open.
///
/// A server that speaks nothing but HTTP/2 is asked over that, only for requests that HTTP/1.1 was chosen for by
/// ourselves. Such a server refuses the handshake for the protocol it was offered, or says nothing about it and hangs up;
/// one that can read HTTP/1.1 and does not serve it answers 426 or 505. Nothing is repeated that it may have acted on: a
/// server that agrees to HTTP/2 and did not to HTTP/1.1 has not read the latter. The finding is remembered, so that the
/// next attempt makes one connection again.
struct HTTPVersionChoosing: Sendable {
  let transfer: PinnedTransfer
  let memory: HTTP2Servers

  func perform(
    _ request: TransferRequest, _ step: HTTPStep, _ settings: HTTPSettings, to addresses: [SocketAddress],
    until deadline: Instant
  ) async throws(CancellationError) -> DialledTransfer {
    guard step.prefersHTTP1(settings), step.url.scheme == .https else {
      return try await transfer.performAsNegotiated(request, to: addresses, until: deadline)
    }
    var time = AttemptTime(until: deadline)
    let place = HTTP2Servers.Place(origin: step.url.origin, serverName: request.tls.serverName)
    var other = request
    other.httpVersion = .http2
    if memory.contains(place) {
      let dialled = try await transfer.perform(other, to: addresses, until: time.deadline)
      time.spend(dialled.spent)
      guard dialled.report.mayWantAnotherVersion || dialled.report.requiresHTTP1 else { return dialled }
      memory.forget(place)
    }
    let first = try await transfer.perform(request, to: addresses, until: time.deadline)
    time.spend(first.spent)
    guard first.report.mayWantAnotherVersion || demandsAnotherVersion(first.report) else { return first }
    let second = try await transfer.perform(other, to: addresses, until: time.deadline)
    guard second.report.applicationProtocol == "h2", !second.report.requiresHTTP1 else { return first }
    memory.note(place)
    return second.following(first)
  }

  /// Upgrade Required and HTTP Version Not Supported: RFC 9110 sections 15.5.22 and 15.6.6.
  private func demandsAnotherVersion(_ report: TransferReport) -> Bool {
    report.failure == nil && (report.statusCode == 426 || report.statusCode == 505)
  }
}

extension PinnedTransfer {
  /// Makes the request, and once more over HTTP/1.1 where the version is open and the server refuses it over HTTP/2 with
  /// HTTP_1_1_REQUIRED (RFC 9113 section 7). A server may demand that for some of its resources only, and is asked over
  /// HTTP/2 first the next time.
  func performAsNegotiated(
    _ request: TransferRequest, to addresses: [SocketAddress], until deadline: Instant
  ) async throws(CancellationError) -> DialledTransfer {
    var time = AttemptTime(until: deadline)
    let first = try await perform(request, to: addresses, until: time.deadline)
    guard request.httpVersion == .auto, first.report.requiresHTTP1 else { return first }
    time.spend(first.spent)
    var other = request
    other.httpVersion = .http11
    return try await perform(other, to: addresses, until: time.deadline).following(first)
  }
}

extension DialledTransfer {
  /// The same, with the time of the request before it, which the deadline counts as well.
  fileprivate consuming func following(_ first: DialledTransfer) -> DialledTransfer {
    elapsed += first.elapsed
    spent += first.spent
    return self
  }
}

/// The servers that spoke HTTP/2 and refused HTTP/1.1 when they were last asked.
final class HTTP2Servers: Sendable {
  struct Place: Hashable, Sendable {
    var origin: HTTPURL.Origin
    var serverName: String?
  }

  /// A list of strangers' checks does not fill the memory.
  private let places = Mutex(RecentSet<Place>(limit: 4096))

  func contains(_ place: Place) -> Bool { places.withLock { $0.contains(place) } }

  func note(_ place: Place) { places.withLock { $0.insert(place) } }

  func forget(_ place: Place) { places.withLock { $0.remove(place) } }
}
