// SPDX-License-Identifier: MIT

import Basics

/// How far people are with what a post is about.
package enum PostState: String, CaseIterable, Hashable, Sendable {
  case investigating, identified, monitoring
  /// The end of the post: it moves to the resolved ones.
  case resolved
}

/// A note by people for readers of the public page: a title, the checks it is about, and what was said about it since.
package struct StatusPost: Hashable, Sendable {
  package struct Update: Hashable, Sendable {
    package var at: Timestamp
    package var state: PostState
    /// `nil` where the state alone says it.
    package var text: String?
    /// For the record; never public.
    package var by: String?

    package init(at: Timestamp, state: PostState, text: String? = nil, by: String? = nil) {
      (self.at, self.state, self.text, self.by) = (at, state, text, by)
    }
  }

  package let id: UniqueID
  package var title: String
  package var target: OperatorTarget
  /// Oldest first, at least one.
  package var updates: [Update]

  package init(id: UniqueID, title: String, target: OperatorTarget, first: Update) {
    (self.id, self.title, self.target, updates) = (id, title, target, [first])
  }

  /// Bytes of a title, of an update's text, and updates of a post at most.
  package static let titleBytes = 150
  package static let textBytes = 1000
  package static let updateLimit = 20

  package var state: PostState { updates.last?.state ?? .investigating }
  package var isOver: Bool { state == .resolved }
  package var begin: Timestamp { updates.first?.at ?? .epoch }
  package var changed: Timestamp { updates.last?.at ?? .epoch }
  /// The last letters of its id: enough to tell it from the others.
  package var short: String { String(id.description.suffix(6)) }

  /// Words against a title or a text; `nil` where there is nothing to say.
  ///
  /// - Parameter most: bytes that it may have.
  package static func objection(to text: String, called what: String, most: Int) -> String? {
    if !text.contains(where: { !$0.isWhitespace }) { return "the \(what) is empty" }
    guard text.utf8.count <= most else {
      return "the \(what) must be at most \(most) bytes, found \(text.utf8.count)"
    }
    return text.hasControlCharacter ? "the \(what) contains a line break or another control character" : nil
  }
}

/// Command of an operator about posts, from the command line or the API.
package struct PostWish: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case post(title: String, text: String?, state: PostState, target: OperatorTarget)
    /// The post's id, the last letters of it, or its title. Without a state it stays as it is.
    case update(id: String, text: String?, state: PostState?)
    /// Other words in place of the title, or of the latest update's text.
    case edit(id: String, title: String?, text: String?)
    case delete(id: String)
  }

  package var kind: Kind
  /// The operator's name, for the record. `nil` where none was given.
  package var by: String?

  package init(_ kind: Kind, by: String? = nil) {
    self.kind = kind
    self.by = by?.printable(maxBytes: 80)
  }
}

extension StatusPost {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("title", title)
      json.field("target", target.text)
      json.field("state", state.rawValue)
      json.key("updates")
      json.array { json in for update in updates { update.write(to: &json) } }
    }
  }

  /// `nil` for what no post would be written as.
  package init?(_ json: JSONValue) {
    guard let id = json["id"]?.uniqueID, let title = json["title"]?.string,
      Self.objection(to: title, called: "title", most: Self.titleBytes) == nil,
      let target = json["target"]?.string.flatMap({ OperatorTarget(kept: $0) })
    else { return nil }
    let updates = (json["updates"]?.array ?? []).prefix(Self.updateLimit).compactMap(Update.init)
    guard let first = updates.first else { return nil }
    self.init(id: id, title: title, target: target, first: first)
    self.updates = updates
  }
}

extension StatusPost.Update {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("at", at)
      json.field("state", state.rawValue)
      json.fieldIfPresent("text", text)
      json.fieldIfPresent("by", by)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let at = json["at"]?.timestamp,
      let state = json["state"]?.string.flatMap({ PostState(word: $0) })
    else { return nil }
    let text = json["text"]?.string
    if let text,
      StatusPost.objection(to: text, called: "text", most: StatusPost.textBytes) != nil
    {
      return nil
    }
    self.init(at: at, state: state, text: text, by: json["by"]?.string?.printable(maxBytes: 80))
  }
}
