// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

// Posts for the public page: read by all who may read the page, written with the rights of the other orders by hand.
extension Routes {
  /// `GET /api/v1/posts`, the newest first.
  func posts(_ snapshot: StatusSnapshot) -> Reply {
    json(snapshot) { json in
      json.array { json in for post in snapshot.posts.reversed() { post.write(to: &json) } }
    }
  }
}

extension RequestPath {
  /// Whether the request is for posts, and about one of them: `/api/v1/posts`, `/api/v1/posts/ID/update`.
  var isPost: Bool {
    guard segments.starts(with: ["api", "v1", "posts"]) else { return false }
    return segments.count == 3 || segments.count == 5 && PostAct(word: segments[4]) != nil
  }

  private enum PostAct: String, CaseIterable {
    case update, edit, delete
  }

  func postWish() throws(BadRequest) -> PostWish {
    try refuseRepeated()
    let kind: PostWish.Kind
    switch segments.count == 5 ? PostAct(word: segments[4]) : nil {
    case .update: kind = .update(id: segments[3], text: words("text"), state: try postState())
    case .edit: kind = .edit(id: segments[3], title: words("title"), text: words("text"))
    case .delete: kind = .delete(id: segments[3])
    case nil:
      guard let title = words("title") else {
        throw BadRequest("title is missing: what is the matter, in words")
      }
      kind = .post(
        title: title, text: words("text"), state: try postState() ?? .investigating,
        target: words("target").map { OperatorTarget($0) } ?? .everything)
    }
    return PostWish(kind, by: words("by"))
  }

  /// On one line.
  private func words(_ name: String) -> String? {
    self[name].flatMap { text in
      let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
      return line.isEmpty ? nil : line
    }
  }

  private func postState() throws(BadRequest) -> PostState? {
    guard let word = self["state"], !word.isEmpty else { return nil }
    guard let state = PostState(word: word) else {
      throw BadRequest(
        "state must be one of \(PostState.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return state
  }
}
