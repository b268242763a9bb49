// SPDX-License-Identifier: MIT

import Basics

extension CurlEngine {
  /// Addresses of one host tried at most.
  package static let mostAddresses = 4

  /// Makes one request at one address after the other until a connection stands. Beyond it the server may have acted,
  /// so its answer, or its silence, is the request's.
  ///
  /// Each address has a share of the time that is left to take a connection: a silent one leaves room for the next.
  ///
  /// - Returns: `nil` when there is no address.
  package func perform(
    _ request: TransferRequest, at addresses: [SocketAddress]
  ) async throws(CancellationError) -> TransferReport? {
    var left = request.timeout
    var last: TransferReport?
    let tried = addresses.prefix(Self.mostAddresses)
    for (index, address) in tried.enumerated() {
      guard left > .zero else { break }
      var request = request
      request.plan = .address(address)
      request.timeout = left
      // bounded: 1 to 4
      let share = Duration.microseconds(max(1, left.microseconds / Int64(tried.count - index)))
      request.connectTimeout = min(request.connectTimeout ?? share, share)
      let report = try await perform(request)
      last = report
      guard let failure = report.failure, failure.phase == .connect else { break }
      left -= report.times.ended - report.times.held
    }
    return last
  }
}
