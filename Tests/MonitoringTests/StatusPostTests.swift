// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Posts of the public page: what is refused of a text, what a post says of itself, and its document.
@Suite struct StatusPostTests {
  /// 2026-01-04T02:00:00Z.
  private let at = Timestamp(seconds: 1_767_492_000)
  private let id = UniqueID(high: 0x019a_0000_0000_7000, low: 0x8000_0000_00ab_cdef)

  private func update(
    _ seconds: Int64, _ state: PostState, _ text: String? = nil, by: String? = nil
  ) -> StatusPost.Update {
    StatusPost.Update(at: at.advanced(by: .seconds(seconds)), state: state, text: text, by: by)
  }

  private func document(_ post: StatusPost) -> String {
    var json = JSONWriter()
    post.write(to: &json)
    return json.text
  }

  private func read(_ text: String) throws -> StatusPost? {
    StatusPost(try JSONValue.parse(Array(text.utf8)))
  }

  @Test func objections() {
    func said(_ text: String) -> String? { StatusPost.objection(to: text, called: "title", most: 5) }
    #expect(said("") == "the title is empty" && said(" \t\u{a0}") == "the title is empty")
    #expect(said("abcde") == nil && said(" a ") == nil && said("éé") == nil)
    #expect(said("abcdef") == "the title must be at most 5 bytes, found 6")
    #expect(said("ééé") == "the title must be at most 5 bytes, found 6")
    for text in ["a\nb", "a\rb", "a\u{7f}", "a\u{1b}", "a\u{85}"] {
      #expect(said(text) == "the title contains a line break or another control character", "\(text)")
    }
    #expect(StatusPost.titleBytes == 150 && StatusPost.textBytes == 1000 && StatusPost.updateLimit == 20)
    #expect(
      PostState.allCases.map(\.rawValue) == ["investigating", "identified", "monitoring", "resolved"])
  }

  /// Its state and its change are those of the last update, its begin is that of the first.
  @Test func whatAPostSaysOfItself() {
    var post = StatusPost(
      id: id, title: "Mail", target: .tag("mail"), first: update(0, .identified, "Found it."))
    #expect(post.state == .identified && !post.isOver && post.begin == at && post.changed == at)
    #expect(post.short == "abcdef" && post.updates.count == 1)
    post.updates.append(update(60, .resolved))
    #expect(post.state == .resolved && post.isOver && post.begin == at)
    #expect(post.changed == at.advanced(by: .seconds(60)))
    for state in PostState.allCases {
      post.updates.append(update(90, state))
      #expect(post.state == state && post.isOver == (state == .resolved))
    }
    post.updates = []
    #expect(post.state == .investigating && post.begin == .epoch && post.changed == .epoch)
  }

  @Test func theDocument() throws {
    var post = StatusPost(
      id: id, title: "Mail is slow", target: .tag("mail"), first: update(0, .investigating))
    post.updates.append(update(90, .identified, "A disk.", by: "Ann"))
    let text =
      #"{"id":"019a0000-0000-7000-8000-000000abcdef","title":"Mail is slow","target":"tag:mail","#
      + #""state":"identified","updates":[{"at":"2026-01-04T02:00:00.000Z","state":"investigating"},"#
      + #"{"at":"2026-01-04T02:01:30.000Z","state":"identified","text":"A disk.","by":"Ann"}]}"#
    #expect(document(post) == text)
    #expect(try read(text) == post)
    for target in [OperatorTarget.everything, .check("Shop")] {
      post.target = target
      #expect(try read(document(post))?.target == target)
    }
  }

  private func post(
    id: String = "019a0000-0000-7000-8000-000000abcdef", title: String = "T", target: String = "all",
    _ updates: String...
  ) -> String { post(id, title, target, updates) }

  private func post(_ id: String, _ title: String, _ target: String, _ updates: [String]) -> String {
    let list = updates.joined(separator: ",")
    return #"{"id":"\#(id)","title":"\#(title)","target":"\#(target)","updates":[\#(list)]}"#
  }

  private func one(
    _ state: String = "resolved", at: String = "2026-01-04T02:00:00Z", _ more: String = ""
  ) -> String {
    #"{"at":"\#(at)","state":"\#(state)"\#(more)}"#
  }

  /// A post is read as a whole or not at all; an update that is none is left out.
  @Test func whatIsRead() throws {
    let long = String(repeating: "x", count: 151)
    let name = String(repeating: "n", count: 401)
    for (text, isRead) in [
      (post(one()), true), (post(), false), (post(id: "7", one()), false), (post(title: " ", one()), false),
      (post(title: String(long.dropLast()), one()), true), (post(title: long, one()), false),
      (post(target: String(name.dropLast()), one()), true), (post(target: name, one()), false),
      (post(target: "a\\n", one()), false), (post(one("gone")), false), (post(one(at: "noon")), false),
      ("{}", false), ("[]", false),
    ] {
      #expect((try read(text) != nil) == isRead, "\(text)")
    }
    let mixed = try read(post(one("gone"), one("identified"), one(at: ""), one("monitoring")))
    #expect(mixed?.updates.map(\.state) == [.identified, .monitoring])
  }

  /// Of a text the last byte that is taken and the first that is not; who wrote it is one line of eighty bytes.
  @Test func whatIsReadOfAnUpdate() throws {
    for (count, isRead) in [(1000, true), (1001, false)] {
      let text = String(repeating: "x", count: count)
      let found = try read(post(one(), one("monitoring", #","text":"\#(text)""#)))
      #expect(found?.updates.count == (isRead ? 2 : 1))
      #expect(found?.updates.last?.text == (isRead ? text : nil))
    }
    let by = "a\\n" + String(repeating: "x", count: 90)
    let found = try read(post(one("resolved", #","by":"\#(by)""#)))
    #expect(found?.updates.first?.by?.hasPrefix("a\\u{a}x") == true)
    #expect(found?.updates.first?.by?.utf8.count == 80 && found?.updates.first?.text == nil)
    let many = (0..<22).map { one($0 == 0 ? "identified" : "monitoring", at: "2026-01-04T02:00:\($0 + 10)Z") }
    let bounded = try read(post("019a0000-0000-7000-8000-000000abcdef", "T", "all", many))
    #expect(bounded?.updates.count == 20 && bounded?.updates.first?.state == .identified)
    #expect(bounded?.changed == at.advanced(by: .seconds(29)))
  }

  @Test func wishes() {
    let wish = PostWish(.delete(id: "abcdef"), by: "a\n" + String(repeating: "x", count: 90))
    #expect(wish.by?.hasPrefix("a\\u{a}x") == true && wish.by?.utf8.count == 80)
    #expect(PostWish(.delete(id: "a")).by == nil)
  }
}
