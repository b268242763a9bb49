// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Posts for the public page: begun, updated, edited and deleted by people. A pure machine; it forgets posts that were
/// resolved long ago.
package struct PostBook: Hashable, Sendable {
  /// Oldest first.
  package private(set) var posts: [StatusPost] = []

  /// Posts that are not resolved, and all of them.
  static let openLimit = 20
  package static let limit = 50
  /// How long a resolved post is kept.
  package static let kept: Duration = .seconds(90 * 86_400)

  package init() {}

  /// - Parameter names: of the checks, with their tags: any other target is a typing error.
  package mutating func take(
    _ wish: PostWish, now: Timestamp, names: OperatorNames,
    using generator: inout some RandomNumberGenerator
  ) -> OperatorAnswer {
    advance(to: now)
    switch wish.kind {
    case .post(let title, let text, let state, let target):
      if let problem = Self.problem(title: title, text: text) ?? names.problem(target) { return problem }
      guard posts.count(where: { !$0.isOver }) < Self.openLimit || state == .resolved else {
        return .refused("\(Self.openLimit) posts are open already: resolve some")
      }
      let first = StatusPost.Update(at: now, state: state, text: text, by: wish.by)
      let post = StatusPost(
        id: .v7(at: now, using: &generator), title: title, target: target, first: first)
      posts.append(post)
      makeRoom()
      return .done("posted \(quoted(title)) (\(post.short)): \(state.rawValue)")
    case .update(let id, let text, let state): return update(id, text, state, wish.by, now)
    case .edit(let id, let title, let text): return edit(id, title, text)
    case .delete(let id):
      return change(id) { posts, place in
        let post = posts.remove(at: place)
        return .done("the post \(quoted(post.title)) is deleted")
      }
    }
  }

  /// Forgets posts that were resolved long ago.
  package mutating func advance(to now: Timestamp) {
    posts.removeAll { $0.isOver && $0.changed.advanced(by: Self.kept) <= now }
  }

  /// The oldest resolved posts give way: fewer than all may be open.
  private mutating func makeRoom() {
    while posts.count > Self.limit, let place = posts.firstIndex(where: \.isOver) { posts.remove(at: place) }
  }

  private mutating func update(
    _ id: String, _ text: String?, _ state: PostState?, _ by: String?, _ now: Timestamp
  ) -> OperatorAnswer {
    guard text != nil || state != nil else {
      return .refused("there is nothing to add: give words, a state, or both")
    }
    if let problem = Self.problem(text: text) { return problem }
    let open = posts.count { !$0.isOver }
    return change(id) { posts, place in
      guard posts[place].updates.count < StatusPost.updateLimit else {
        return .refused(
          "the post has \(StatusPost.updateLimit) updates already: edit the last one, or begin another post")
      }
      let next = state ?? posts[place].state
      guard !posts[place].isOver || next == .resolved || open < Self.openLimit else {
        return .refused("\(Self.openLimit) posts are open already: resolve some")
      }
      posts[place].updates.append(StatusPost.Update(at: now, state: next, text: text, by: by))
      return .done("the post \(quoted(posts[place].title)) (\(posts[place].short)): \(next.rawValue)")
    }
  }

  /// The words are corrected in place: their time stays.
  private mutating func edit(_ id: String, _ title: String?, _ text: String?) -> OperatorAnswer {
    guard title != nil || text != nil else { return .refused("there is nothing to change: give other words") }
    if let problem = Self.problem(title: title, text: text) { return problem }
    return change(id) { posts, place in
      if let title { posts[place].title = title }
      if let text { posts[place].updates[posts[place].updates.count - 1].text = text }
      return .done("the post \(quoted(posts[place].title)) (\(posts[place].short)) is changed")
    }
  }

  private static func problem(title: String? = nil, text: String?) -> OperatorAnswer? {
    let objection =
      title.flatMap { StatusPost.objection(to: $0, called: "title", most: StatusPost.titleBytes) }
      ?? text.flatMap { StatusPost.objection(to: $0, called: "text", most: StatusPost.textBytes) }
    return objection.map(OperatorAnswer.refused)
  }

  /// By the id, the last letters of it, or the title.
  private mutating func change(
    _ word: String, _ body: (inout [StatusPost], Int) -> OperatorAnswer
  ) -> OperatorAnswer {
    let wanted = word.lowercased()
    let found = posts.indices.filter { place in
      posts[place].title == word || (wanted.utf8.count >= 4 && posts[place].id.description.hasSuffix(wanted))
    }
    guard let place = found.first else {
      let known = posts.suffix(5).map { "\($0.short) (\($0.title))" }.joined(separator: ", ")
      return .notFound(
        "no post is called \(quoted(word))",
        hint: posts.isEmpty ? "there is none" : "the latest: \(known.printable(maxBytes: 400))")
    }
    guard found.count == 1 else {
      let several = found.prefix(5).map { posts[$0].short }.joined(separator: ", ")
      return .refused("\(quoted(word)) means several posts: \(several)")
    }
    return body(&posts, place)
  }
}

extension PostBook {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("version", 1)
      json.key("posts")
      json.array { json in for post in posts { post.write(to: &json) } }
    }
  }

  /// Posts that are none are left out. `nil` for a file that is no book.
  package static func read(_ bytes: [UInt8]) -> PostBook? {
    guard let json = try? JSONValue.parse(bytes), json["version"]?.integer == 1 else { return nil }
    var book = PostBook()
    book.posts = (json["posts"]?.array ?? []).suffix(limit).compactMap(StatusPost.init)
    return book
  }
}
