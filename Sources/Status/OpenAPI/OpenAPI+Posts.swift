// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Posts for the public page.
extension OpenAPI {
  private static let id = Operation.Parameter(
    name: "id", schema: .text, summary: "Its id, the last letters of it, or its title", isInPath: true)
  private static let by = Operation.Parameter(
    name: "by", schema: .text, summary: "Name of the operator, for the record")
  private static let state = Operation.Parameter(
    name: "state", schema: .word(PostState.allCases.map(\.rawValue) + [""]),
    summary: "How far the work is; resolved ends the post")
  /// Something that can be read: at least one letter, sign or digit of ASCII, or one beyond it.
  private static let visible = "[!-~\\u00C0-\\u1FFF\\u3041-\\uD7FF]"
  private static func text(_ summary: String) -> Operation.Parameter {
    .init(name: "text", schema: .text, summary: "\(summary); at most \(StatusPost.textBytes) bytes")
  }
  private static func title(_ summary: String, isRequired: Bool) -> Operation.Parameter {
    .init(
      name: "title", schema: isRequired ? .pattern(visible) : .text,
      summary: "\(summary); at most \(StatusPost.titleBytes) bytes",
      isRequired: isRequired)
  }

  static let ofPosts = [
    Operation(
      path: "/api/v1/posts", id: "posts", summary: "Posts for the public page, the newest first",
      answer: .data(.list(.ref("Post")))),
    Operation(
      method: "post", path: "/api/v1/posts", id: "post",
      summary: "Begins a post; over the agent's socket without a token",
      parameters: [
        title("Heading of the post", isRequired: true), text("First update"), state,
        .init(
          name: "target", schema: .text,
          summary: "Name or id of a check, tag: and a tag, or all, which it is when not given"), by,
      ], answer: .data(.ref("Done")), failures: badRequest + orderFailures, needsToken: true),
    Operation(
      method: "post", path: "/api/v1/posts/{id}/update", id: "updatePost",
      summary: "Adds an update, or ends the post with the state resolved",
      parameters: [id, text("Words of the update"), state, by], answer: .data(.ref("Done")),
      failures: badRequest + orderFailures, needsToken: true),
    Operation(
      method: "post", path: "/api/v1/posts/{id}/edit", id: "editPost",
      summary: "Corrects the title, or the words of the latest update",
      parameters: [id, title("Other title", isRequired: false), text("Other words"), by],
      answer: .data(.ref("Done")), failures: badRequest + orderFailures, needsToken: true),
    Operation(
      method: "post", path: "/api/v1/posts/{id}/delete", id: "deletePost",
      summary: "Deletes a post that was a mistake", parameters: [id, by], answer: .data(.ref("Done")),
      failures: badRequest + orderFailures, needsToken: true),
  ]

  static let post = Schema.object([
    .field("id", .id), .field("title", .text), .field("target", .text),
    .field("state", .word(PostState.allCases.map(\.rawValue))),
    .field(
      "updates",
      .list(
        .object([
          .field("at", .time), .field("state", .word(PostState.allCases.map(\.rawValue))),
          .may("text", .text), .may("by", .text),
        ])), "Oldest first"),
  ])
}
