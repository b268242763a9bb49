// SPDX-License-Identifier: MIT

import Basics
import Network
import Monitoring
import Synchronization

/// The one watch of an agent: a stream with a part for each reader of the store.
final class EtcdWatch: Sendable {
  let readers = Mutex(WatchReaders())
  /// The stream of now.
  let stream = Mutex<Task<Void, Never>?>(nil)
}

extension EtcdClient {
  /// A stream is begun again after this long, whether or not anything was wrong with it.
  static let watchLength: Duration = .seconds(120)

  /// Tells every change of some keys after a revision, in their order, until it ends. It shares its stream with the other
  /// readers of this client: each that comes begins the stream again, where each of them is.
  func watch(
    _ span: KeySpan, after revision: Int64, _ tell: @escaping @Sendable ([EtcdEvent]) -> Void
  ) async -> WatchEnd {
    let number = watch.readers.withLock { $0.number() }
    let end = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let reader = WatchReaders.Reader(span: span, told: revision, tell: tell) {
          continuation.resume(returning: $0)
        }
        guard watch.readers.withLock({ $0.add(number, reader) }) else {
          return continuation.resume(returning: .over)
        }
        restart()
      }
    } onCancel: {
      watch.readers.withLock { $0.remove(number) }?(.over)
    }
    watch.readers.withLock { $0.forget(number) }
    await rest()
    return end
  }

  /// Whether the store has not changed since a reader knew everything, by what the others were told, too.
  func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool {
    position.isIdle(mark, elsewhere: watch.readers.withLock(\.run))
  }

  /// With the last reader the stream ends.
  private func rest() async {
    let ended = watch.stream.withLock { stream -> Task<Void, Never>? in
      guard watch.readers.withLock(\.readers.isEmpty) else { return nil }
      stream?.cancel()
      return stream
    }
    await ended?.value
  }

  private func restart() {
    watch.stream.withLock { stream in
      let (before, turn) = (stream, watch.readers.withLock(\.turn))
      before?.cancel()
      // One after the other, so that no reader is told by both.
      stream = Task {
        await before?.value
        await self.follow(turn)
      }
    }
  }

  private func follow(_ turn: Int) async {
    while !Task.isCancelled, let body = watch.readers.withLock({ $0.begin(turn) }) {
      let index = current
      let shown: Redacted?
      switch try? await token(at: index) {
      case nil: return
      case .failure(let failure)?:
        leave(index)
        return end(.trouble(failure.trouble), turn)
      case .success(let token)?: shown = token
      }
      let result = try? await transfer(
        "v3/watch", body, token: shown, at: index, timeout: Self.watchLength
      ) { self.take($0, turn, shown) }
      guard let result, !Task.isCancelled else { return }
      let (isStale, hasBegun) = watch.readers.withLock { ($0.isStale, $0.hasBegun) }
      if isStale { continue }
      // Told in full up to here; what comes next is the next stream's.
      if let end = ended(result, hasBegun: hasBegun, at: index) { return self.end(end, turn) }
    }
  }

  /// `nil` where the stream was as long as it may be.
  private func ended(
    _ result: Result<OutboundAnswer, EtcdFailure>, hasBegun: Bool, at index: Int
  ) -> WatchEnd? {
    switch result {
    case .failure(let failure):
      if hasBegun, failure.timedOut { return nil }
      if hasBegun { return .trouble(StoreTrouble(.unreachable, "the watch has ended")) }
      leave(index)
      return .trouble(failure.trouble)
    case .success(let report):
      if report.status != 200 || !hasBegun { leave(index) }
      return .trouble(StoreTrouble(.unreachable, "\(place(index)) has ended the watch"))
    }
  }

  /// Part of the stream, on the engine's thread.
  ///
  /// - Returns: false: it is over.
  private func take(_ bytes: [UInt8], _ turn: Int, _ token: Redacted?) -> Bool {
    guard let lines = watch.readers.withLock({ $0.cut(bytes, turn) }) else {
      end(.trouble(StoreTrouble(.garbled, "a line of the watch is longer than 4 MiB")), turn)
      return false
    }
    for line in lines {
      let read = WatchLine(line)
      if case .refused(let trouble) = read, trouble.kind == .unauthenticated { forget(token) }
      let outcome = watch.readers.withLock { $0.take(read, turn) }
      outcome.act()
      guard outcome.goesOn else { return false }
    }
    return true
  }

  private func end(_ end: WatchEnd, _ turn: Int) { watch.readers.withLock { $0.end(end, turn) }.act() }
}
