// SPDX-License-Identifier: MIT

import Basics
import CCurl

// When what happened, from our own stamps and, where we have none, from libcurl's.
extension Transfer {
  func times(complete: Bool) -> TransferTimes {
    var times = TransferTimes()
    times.queued = started - ticket.submitted
    times.held = allowance.held
    times.paused = ProcessPauses.shared.longest(since: started)
    times.connectStart = seen.connectStart.map { $0 - started }
    times.connected = seen.connected.map { $0 - started }
    times.tlsDone = judge == nil ? nil : (judge?.doneAt ?? seen.requestStart).map { $0 - started }
    times.requestStart = seen.requestStart.map { $0 - started }
    times.headersEnd = seen.headersEnd.map { $0 - started - backlog }
    times.firstByte = firstByte.map { $0 - started }
    times.ended = Instant.now - started
    guard complete else { return times }
    switch stop == .goalReached ? .headers : request.goal {
    case .headers: times.ended = times.headersEnd ?? times.ended
    case .handshake: times.ended = times.tlsDone ?? times.connected ?? times.ended
    case .body, .drain:
      // libcurl noted the end; our thread may have been busy with others since. The last byte is no earlier than
      // what we saw of it. Where we ended it ourselves, what we saw is all there is.
      if stop != nil, let last = seen.lastWrite ?? seen.headersEnd {
        times.ended = last - started
      } else if let requestStart = seen.requestStart,
        let length = interval(from: CURLINFO_PRETRANSFER_TIME_T, to: CURLINFO_TOTAL_TIME_T)
      {
        times.ended =
          max(requestStart + length, seen.lastWrite ?? requestStart, seen.headersEnd ?? requestStart)
          - started
      }
      times.ended -= backlog(until: started + times.ended)
      times.lastByte = times.ended
    }
    return times
  }

  private var backlog: Duration { seen.headersEnd.map { backlog(until: $0) } ?? .zero }

  /// How long what came at once waited for us. Zero when it came in parts: then each part's own time counts.
  private func backlog(until end: Instant) -> Duration {
    guard let firstLine = seen.firstLine, let readable = seen.readableSince,
      end - firstLine < .microseconds(500)
    else { return .zero }
    return firstLine - readable
  }

  /// `nil` where none came. libcurl is asked only about an answer that stopped within its first line.
  var firstByte: Instant? {
    if let firstLine = seen.firstLine { return seen.readableSince ?? firstLine }
    // Of an upload that is held back, too, libcurl says that it began; and an interim answer is none.
    if sendsBody || headers.hadInterim { return nil }
    let delay = interval(from: CURLINFO_PRETRANSFER_TIME_T, to: CURLINFO_STARTTRANSFER_TIME_T)
    guard let requestStart = seen.requestStart, let delay else { return nil }
    return requestStart + delay
  }

  /// Between two of libcurl's own stamps; nil when one is missing.
  private func interval(from start: CURLINFO, to end: CURLINFO) -> Duration? {
    var (first, last): (Int64, Int64) = (0, 0)
    guard quartz_curl_info_size(easy, start, &first) == CURLE_OK,
      quartz_curl_info_size(easy, end, &last) == CURLE_OK, last > 0
    else { return nil }
    return .microseconds(max(0, last - first))
  }
}
