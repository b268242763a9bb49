// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Posts by people: begun, updated, corrected, ended, deleted, bounded, kept.
@Suite struct PostBookTests {
  private func take(_ book: inout PostBook, _ kind: PostWish.Kind, at seconds: Int64 = 0) throws
    -> OperatorAnswer
  {
    var generator = Counter(state: UInt64(seconds))
    let checks = [try makeCheck("Checkout", tags: ["team:shop"])]
    return book.take(
      PostWish(kind, by: "ann"), now: after(seconds), names: OperatorNames(checks), using: &generator)
  }

  private func isDone(_ answer: OperatorAnswer) -> Bool { if case .done = answer { true } else { false } }

  private func begin(
    _ title: String, _ state: PostState = .investigating, for target: OperatorTarget = .check("Checkout")
  ) -> PostWish.Kind {
    .post(title: title, text: nil, state: state, target: target)
  }

  /// The updates stay in their order, each with its state, time and author; the last one ends the post.
  @Test func aPostFromBeginToEnd() throws {
    var book = PostBook()
    #expect(isDone(try take(&book, begin("Payments are failing"), at: 10)))
    let id = try #require(book.posts.first?.short)
    #expect(
      isDone(try take(&book, .update(id: id, text: "Orders are kept.", state: .identified), at: 20)))
    #expect(
      isDone(try take(&book, .update(id: "Payments are failing", text: "Watching.", state: nil), at: 30)))
    #expect(isDone(try take(&book, .edit(id: id, title: "Payments fail", text: "Watching it."), at: 40)))
    #expect(isDone(try take(&book, .update(id: id, text: nil, state: .resolved), at: 50)))
    let post = try #require(book.posts.first)
    #expect(book.posts.count == 1 && post.title == "Payments fail" && post.isOver)
    #expect(post.begin == after(10) && post.changed == after(50))
    #expect(
      post.updates == [
        .init(at: after(10), state: .investigating, by: "ann"),
        .init(at: after(20), state: .identified, text: "Orders are kept.", by: "ann"),
        .init(at: after(30), state: .identified, text: "Watching it.", by: "ann"),
        .init(at: after(50), state: .resolved, by: "ann"),
      ])
    #expect(isDone(try take(&book, .delete(id: id), at: 60)) && book.posts.isEmpty)
  }

  /// Nothing that is too long, blank, breaks a line or is about no check is posted.
  @Test func refusals() throws {
    var book = PostBook()
    for kind: PostWish.Kind in [
      begin(" "), begin(String(repeating: "a", count: 151)), begin("a\u{202e}b"), begin("a\nb"),
      begin("A", for: .check("Chekout")), begin("A", for: .tag("team:bank")),
      .post(title: "A", text: String(repeating: "é", count: 501), state: .identified, target: .everything),
      .update(id: "A", text: "x", state: nil), .edit(id: "A", title: "x", text: nil), .delete(id: "A"),
    ] {
      #expect(!isDone(try take(&book, kind)), "\(kind)")
    }
    #expect(book.posts.isEmpty)
    #expect(isDone(try take(&book, begin(String(repeating: "a", count: 150)))))
    #expect(
      try take(&book, .update(id: "a", text: nil, state: nil))
        == .refused("there is nothing to add: give words, a state, or both"))
    let longest = String(repeating: "é", count: 500)
    let id = try #require(book.posts.first?.short)
    #expect(isDone(try take(&book, .update(id: id, text: longest, state: nil))))
  }

  /// A word for two posts changes none of them.
  @Test func aTitleOfTwo() throws {
    var book = PostBook()
    _ = try take(&book, begin("Slow"), at: 1)
    _ = try take(&book, begin("Slow"), at: 2)
    #expect(!isDone(try take(&book, .update(id: "Slow", text: "x", state: nil), at: 3)))
    #expect(book.posts.map(\.updates.count) == [1, 1])
  }

  /// Twenty are open at most, twenty updates each; of fifty the oldest resolved one goes.
  @Test func bounds() throws {
    var book = PostBook()
    for number in 0..<20 { #expect(isDone(try take(&book, begin("Open \(number)"), at: Int64(number)))) }
    #expect(!isDone(try take(&book, begin("One more"), at: 20)))
    for number in 0..<31 {
      #expect(isDone(try take(&book, begin("Over \(number)", .resolved), at: Int64(30 + number))))
    }
    #expect(book.posts.count == 50 && book.posts.count { $0.title == "Over 0" } == 0)
    #expect(book.posts.count { !$0.isOver } == 20 && book.posts.last?.title == "Over 30")
    #expect(!isDone(try take(&book, .update(id: "Over 30", text: nil, state: .monitoring), at: 70)))
    for number in 0..<19 {
      #expect(isDone(try take(&book, .update(id: "Open 0", text: "\(number)", state: nil), at: 80)))
    }
    #expect(!isDone(try take(&book, .update(id: "Open 0", text: "20", state: nil), at: 81)))
  }

  /// A resolved post is forgotten after ninety days, an open one is not.
  @Test func oldOnesAreForgotten() throws {
    var book = PostBook()
    _ = try take(&book, begin("Open"), at: 0)
    _ = try take(&book, begin("Over", .resolved), at: 0)
    book.advance(to: after(90 * 86_400 - 1))
    #expect(book.posts.map(\.title) == ["Open", "Over"])
    book.advance(to: after(90 * 86_400))
    #expect(book.posts.map(\.title) == ["Open"])
  }

  /// The ninety days are those since the last update, and not since the post began; an update makes them begin once more.
  @Test func aLongPostIsKeptFromItsEnd() throws {
    let day: Int64 = 86_400
    var book = PostBook()
    _ = try take(&book, begin("Long"), at: 0)
    _ = try take(&book, begin("Short", .resolved), at: 10 * day)
    _ = try take(&book, .update(id: "Long", text: nil, state: .resolved), at: 50 * day)
    book.advance(to: after(100 * day - 1))
    #expect(book.posts.map(\.title) == ["Long", "Short"])
    book.advance(to: after(100 * day))
    #expect(book.posts.map(\.title) == ["Long"])
    _ = try take(&book, .update(id: "Long", text: "It was a disk.", state: nil), at: 120 * day)
    book.advance(to: after(210 * day - 1))
    #expect(book.posts.map(\.title) == ["Long"])
    // Also where another one is posted.
    _ = try take(&book, begin("Next"), at: 210 * day)
    #expect(book.posts.map(\.title) == ["Next"])
  }

  /// The file has everything, and only what could have been written is read.
  @Test func theFile() throws {
    var book = PostBook()
    _ = try take(&book, begin("Payments \"fail\"", .identified, for: .tag("team:shop")), at: 5)
    _ = try take(&book, .update(id: "Payments \"fail\"", text: "ja ✓", state: .monitoring), at: 9)
    var json = JSONWriter()
    book.write(to: &json)
    #expect(PostBook.read(json.bytes) == book)
    #expect(PostBook.read(Array("{\"version\":2}".utf8)) == nil && PostBook.read([0]) == nil)
    let damaged = """
      {"version":1,"posts":[{"id":"x","title":"A","target":"all","updates":[]},
      {"id":"01890a5d-ac96-774b-bcce-b302099a8051","title":"A\\u202e","target":"all",
      "updates":[{"at":"2026-01-05T00:00:00Z","state":"resolved"}]},
      {"id":"01890a5d-ac96-774b-bcce-b302099a8051","title":"A","target":"all",
      "updates":[{"at":"2026-01-05T00:00:00Z","state":"gone"}]}]}
      """
    #expect(PostBook.read(Array(damaged.utf8)) == PostBook())
  }

  /// A name with a joiner or a soft hyphen, or as long as names may be, is the same name after a restart.
  @Test(arguments: ["فروشگاه\u{200c}ها", "Zahlungs\u{ad}verkehr", String(repeating: "x", count: 200)])
  func namesStayAsTheyAre(name: String) throws {
    var generator = Counter(state: 1)
    let check = try makeCheck(name)
    let mute = OperatorWish(.mute(target: .check(name), length: .seconds(600)))
    let post = PostWish(begin("Down", for: .check(name)))
    var (orders, posts) = (HandBook(), PostBook())
    _ = orders.take(mute, now: after(0), names: OperatorNames([check]), using: &generator)
    _ = posts.take(post, now: after(0), names: OperatorNames([check]), using: &generator)
    var (json, other) = (JSONWriter(), JSONWriter())
    orders.write(to: &json)
    posts.write(to: &other)
    #expect(HandBook.read(json.bytes)?.mutedUntil(check, at: after(1)) == after(600))
    #expect(PostBook.read(other.bytes)?.posts.map(\.target) == [.check(name)])
  }

  /// What is called so can be no check: it was never written.
  @Test func foreignTargets() {
    for word in ["a\u{202e}b", "a\nb", String(repeating: "x", count: 401)] {
      #expect(OperatorTarget(kept: word) == nil)
    }
    let tag = String(repeating: "x", count: CheckLimits.tagBytes)
    #expect(OperatorTarget(kept: "tag:" + tag) == .tag(tag))
    #expect(OperatorTarget(kept: "all") == .everything)
  }
}
