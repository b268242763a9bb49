// SPDX-License-Identifier: MIT

@testable import Alerts
@testable import Basics
@testable import Monitoring

/// What alerting keeps in state_dir as somebody or something left it, and what people order. The first byte chooses:
/// alerts.json, by-hand.json or posts.json, or an order, a line for each of its words. What was read is written and reads back the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(bytes.dropFirst())
  switch bytes[0] % 3 {
  case 0: if let json = try? JSONValue.parse(rest) { incidents(json) }
  case 1:
    if let book = HandBook.read(rest) { hand(book) }
    if let book = PostBook.read(rest) { posts(book) }
  default: order(String(decoding: rest, as: UTF8.self))
  }
  return 0
}

private let noon = Timestamp(seconds: 1_772_000_000)
/// The last second that RFC 3339 can write.
private let lastDay = Timestamp(seconds: 253_402_300_799)

private func settings() -> AlertSettings {
  var settings = AlertSettings()
  settings.channels = [AlertChannel(name: "a", kind: .exec(ExecChannel(command: ["/bin/true"])))]
  return settings
}

private func incidents(_ json: JSONValue) {
  let start = ClockReading(boot: Instant(nanoseconds: 1 << 50), wall: noon)
  var book = AlertBook(settings(), saved: json, now: start)
  for now in [noon, .epoch, noon.advanced(by: .seconds(90_000)), lastDay] {
    let reading = ClockReading(boot: start.boot + .seconds(90), wall: now)
    book.advance(to: reading)
    for notification in book.next(NotifyContext(now: reading, settings: settings())) {
      book.finish(notification, .failed("no", retryAfter: .seconds(9)), title: "t", now: reading)
    }
  }
  var first = JSONWriter()
  first.object { book.encode(to: &$0, now: start) }
  var again = JSONWriter()
  var second = AlertBook(settings(), saved: try? JSONValue.parse(first.bytes), now: start)
  again.object { second.encode(to: &$0, now: start) }
  func count(_ json: JSONWriter) -> Int? { (try? JSONValue.parse(json.bytes))?["open"]?.array?.count }
  precondition(count(first) != nil && count(first) == count(again))
  if let check = UniqueID("0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d") {
    _ = SharedValue(json: Array(first.bytes), at: check, now: start)
  }
}

private func hand(_ book: HandBook) {
  var book = book
  for now in [Timestamp.epoch, noon, lastDay] { _ = book.advance(to: now) }
  var json = JSONWriter()
  book.write(to: &json)
  precondition(HandBook.read(json.bytes) != nil)
}

private func posts(_ book: PostBook) {
  var json = JSONWriter()
  book.write(to: &json)
  precondition(PostBook.read(json.bytes)?.posts.count == book.posts.count)
}

private func order(_ text: String) {
  let lines = text.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
  func line(_ index: Int) -> String { index < lines.count ? lines[index] : "" }
  let length = Duration(text: line(1)) ?? .seconds(60)
  let target = OperatorTarget(line(0))
  var (book, generator) = (HandBook(), SystemRandomNumberGenerator())
  let names = OperatorNames([])
  for kind in [
    OperatorWish.Kind.mute(target: target, length: length), .unmute(id: line(2)),
    .startMaintenance(target: target, length: length, skip: false), .endMaintenance(id: line(2)),
    .acknowledge(incident: line(2)),
  ] {
    let wish = OperatorWish(kind, by: line(3), why: line(4))
    for now in [noon, lastDay] {
      _ = book.take(wish, now: now, names: names, using: &generator)
    }
  }
  hand(book)
}
