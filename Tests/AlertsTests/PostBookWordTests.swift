// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What a person is answered about posts, word by word, and the file that the posts are in.
@Suite struct PostBookWordTests {
  private func take(_ book: inout PostBook, _ kind: PostWish.Kind, at seconds: Int64 = 0) -> OperatorAnswer {
    var generator = Counter(state: UInt64(seconds &+ 7))
    return book.take(
      PostWish(kind, by: "ann"), now: after(seconds), names: OperatorNames([]), using: &generator)
  }

  private func begin(_ title: String, _ state: PostState = .investigating, text: String? = nil)
    -> PostWish.Kind
  {
    .post(title: title, text: text, state: state, target: .everything)
  }

  private func short(_ book: PostBook, _ place: Int = 0) -> String { book.posts[place].short }

  @Test func answers() {
    var book = PostBook()
    let posted = take(&book, begin("Slow", .identified))
    let id = short(book)
    #expect(posted == .done("posted \"Slow\" (\(id)): identified"))
    #expect(
      take(&book, .update(id: id, text: "x", state: nil)) == .done("the post \"Slow\" (\(id)): identified"))
    #expect(
      take(&book, .update(id: id, text: nil, state: .resolved))
        == .done("the post \"Slow\" (\(id)): resolved"))
    #expect(
      take(&book, .edit(id: id, title: "Fast", text: nil)) == .done("the post \"Fast\" (\(id)) is changed"))
    #expect(take(&book, .delete(id: id)) == .done("the post \"Fast\" is deleted"))
  }

  /// Five letters that are found are one too few for nothing: four are enough, and capital ones are the same.
  @Test func whichPostIsMeant() {
    var book = PostBook()
    _ = take(&book, begin("Slow"))
    let id = book.posts[0].id.description
    for word in [id, id.uppercased(), String(id.suffix(4)), String(id.suffix(4)).uppercased(), "Slow"] {
      #expect(take(&book, .edit(id: word, title: nil, text: "x")).isDone, "\(word)")
    }
    for word in [String(id.suffix(3)), String(id.prefix(12)), "slow", ""] {
      #expect(!take(&book, .edit(id: word, title: nil, text: "x")).isDone, "\(word)")
    }
  }

  @Test func whatIsNotFound() {
    var book = PostBook()
    #expect(
      take(&book, .delete(id: "Slow")) == .notFound("no post is called \"Slow\"", hint: "there is none"))
    for place in 0..<6 { _ = take(&book, begin("P\(place)"), at: Int64(place)) }
    let known = (1..<6).map { "\(short(book, $0)) (P\($0))" }.joined(separator: ", ")
    #expect(
      take(&book, .delete(id: "P9")) == .notFound("no post is called \"P9\"", hint: "the latest: \(known)"))
    for place in 0..<6 { _ = take(&book, begin("Same"), at: Int64(place + 10)) }
    let several = (6..<11).map { short(book, $0) }.joined(separator: ", ")
    #expect(take(&book, .delete(id: "Same")) == .refused("\"Same\" means several posts: \(several)"))
    #expect(book.posts.count == 12)
  }

  @Test func refusals() {
    var book = PostBook()
    #expect(take(&book, begin(" ")) == .refused("the title is empty"))
    #expect(
      take(&book, begin(String(repeating: "x", count: 151)))
        == .refused("the title must be at most 150 bytes, found 151"))
    #expect(take(&book, begin("a", text: "")) == .refused("the text is empty"))
    let long = String(repeating: "x", count: 1001)
    let isLong = OperatorAnswer.refused("the text must be at most 1000 bytes, found 1001")
    #expect(take(&book, begin("a", text: long)) == isLong && book.posts.isEmpty)
    _ = take(&book, begin("Slow"))
    #expect(take(&book, .update(id: "Slow", text: long, state: nil)) == isLong)
    #expect(take(&book, .edit(id: "Slow", title: nil, text: long)) == isLong)
    #expect(
      take(&book, .edit(id: "Slow", title: "a\nb", text: nil))
        == .refused("the title contains a line break or another control character"))
    #expect(
      take(&book, .edit(id: "Slow", title: nil, text: nil))
        == .refused("there is nothing to change: give other words"))
    #expect(
      take(&book, .update(id: "Slow", text: nil, state: nil))
        == .refused("there is nothing to add: give words, a state, or both"))
  }

  /// Twenty may be open: one that is over from the start counts for none, and is not opened again as another.
  @Test func howManyAreOpen() {
    var book = PostBook()
    _ = take(&book, begin("over", .resolved))
    for place in 0..<20 { #expect(take(&book, begin("P\(place)"), at: Int64(place)).isDone) }
    let isFull = OperatorAnswer.refused("20 posts are open already: resolve some")
    #expect(take(&book, begin("one more")) == isFull)
    #expect(take(&book, begin("past", .resolved)).isDone)
    #expect(take(&book, .update(id: "over", text: nil, state: .identified)) == isFull)
    #expect(take(&book, .update(id: "over", text: "words", state: nil)).isDone)
    #expect(take(&book, .update(id: "P3", text: nil, state: .identified)).isDone)
    #expect(take(&book, .update(id: "P3", text: nil, state: .resolved)).isDone)
    #expect(take(&book, .update(id: "over", text: nil, state: .identified)).isDone)
    #expect(book.posts.count(where: { !$0.isOver }) == 20)
  }

  @Test func howManyUpdates() {
    var book = PostBook()
    _ = take(&book, begin("Slow"))
    for count in 2...20 {
      #expect(take(&book, .update(id: "Slow", text: "\(count)", state: nil), at: Int64(count)).isDone)
    }
    #expect(
      take(&book, .update(id: "Slow", text: "x", state: nil))
        == .refused("the post has 20 updates already: edit the last one, or begin another post"))
    #expect(take(&book, .edit(id: "Slow", title: nil, text: "y")).isDone)
    #expect(book.posts[0].updates.map(\.text).suffix(2) == ["19", "y"])
    #expect(book.posts[0].updates.last?.at == after(20))
  }

  /// Those that are over give way, the oldest first, above fifty; ninety days after its end one is forgotten.
  @Test func whatIsForgotten() {
    var book = PostBook()
    _ = take(&book, begin("open"))
    for place in 0..<49 { _ = take(&book, begin("P\(place)", .resolved), at: Int64(place)) }
    #expect(book.posts.count == 50)
    _ = take(&book, begin("one more"), at: 60)
    #expect(book.posts.count == 50 && book.posts.prefix(2).map(\.title) == ["open", "P1"])
    let end: Int64 = 90 * 86_400 + 48
    book.advance(to: after(end).advanced(by: .microseconds(-1)))
    #expect(book.posts.map(\.title) == ["open", "P48", "one more"])
    book.advance(to: after(end))
    #expect(book.posts.map(\.title) == ["open", "one more"])
  }

  @Test func theFile() throws {
    func text(_ book: PostBook) -> String {
      var json = JSONWriter()
      book.write(to: &json)
      return json.text
    }
    var book = PostBook()
    #expect(text(book) == #"{"version":1,"posts":[]}"#)
    _ = take(&book, begin("Slow", .identified, text: "y"), at: 1)
    let id = book.posts[0].id
    #expect(
      text(book) == #"{"version":1,"posts":[{"id":"\#(id)","title":"Slow","target":"all","#
        + #""state":"identified","updates":[{"at":"2026-01-05T00:00:01.000Z","state":"identified","#
        + #""text":"y","by":"ann"}]}]}"#)
    #expect(PostBook.read(Array(text(book).utf8)) == book)
    for other in ["[]", "{}", #"{"version":2,"posts":[]}"#, "x"] {
      #expect(PostBook.read(Array(other.utf8)) == nil, "\(other)")
    }
    #expect(PostBook.read(Array(#"{"version":1}"#.utf8)) == PostBook())
    // The newest of a file that has too many.
    let posts = (0..<51).map {
      #"{"id":"\#(UniqueID(high: 1, low: UInt64($0)))","title":"P\#($0)","target":"all","#
        + #""updates":[{"at":"2026-01-05T00:00:01.000Z","state":"resolved"}]}"#
    }
    let many = #"{"version":1,"posts":["# + posts.joined(separator: ",") + "]}"
    #expect(PostBook.read(Array(many.utf8))?.posts.map(\.title) == (1..<51).map { "P\($0)" })
  }
}

extension OperatorAnswer {
  fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
