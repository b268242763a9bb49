// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring

/// `quartz-agent post`: notes by people on the public page.
struct PostCommand: AsyncParsableCommand, TakesWords {
  static let configuration = CommandConfiguration(
    commandName: "post",
    abstract: "Publish, update and resolve posts on the public page.",
    discussion: """
      A post is shown where its checks are shown: on the public page and in its feeds. `--state resolved` ends it; it is \
      listed as resolved for a week.

      quartz-agent post "Payments are failing" --state identified --for Checkout; quartz-agent post --update ID \
      "Orders are kept and charged later."; quartz-agent post --update ID --state resolved

      \(AgentExitCodes.ordered)
      """,
    subcommands: [Write.self, List.self, Delete.self], defaultSubcommand: Write.self)

  struct Write: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begin a post, add an update, or correct one. The default.")

    @Argument(
      help: ArgumentHelp(
        "Title of the post, at most 150 bytes; with --update and --edit what is new, at most 1000 bytes.",
        valueName: "words"))
    var words: String?

    @Option(help: "investigating, identified, monitoring or resolved. Default: investigating, or as before.")
    var state: PostState?

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("Name or id of a check, tag: and a tag, or all. Default: all.", valueName: "target"),
      completion: NameCompletion.targets)
    var target: String?

    @Option(help: "First update of a new post, at most 1000 bytes.")
    var text: String?

    @Option(help: ArgumentHelp("Add an update to this post: its id or its title.", valueName: "post"))
    var update: String?

    @Option(
      help: ArgumentHelp("Correct the words of the latest update of this post.", valueName: "post"))
    var edit: String?

    @Option(help: "With --edit: another title.")
    var title: String?

    @Option(help: "Name of the operator, for the record. Default: SUDO_USER, LOGNAME or USER.")
    var by: String?

    @OptionGroup var agent: AgentOptions

    func validate() throws {
      if update != nil, edit != nil { throw ValidationError("--update and --edit are two commands") }
      if update ?? edit != nil, target != nil || text != nil {
        throw ValidationError("--for and --text belong to a new post")
      }
      if let id = update ?? edit { try requireName(id, "a post: its id or its title") }
      if title != nil, edit == nil { throw ValidationError("--title belongs to --edit") }
      if edit != nil, state != nil { throw ValidationError("--state belongs to --update") }
      if update == nil, edit == nil, words == nil {
        throw ValidationError("the title is missing, such as quartz-agent post \"Payments are failing\"")
      }
    }

    func run() async throws {
      var items = [item("state", state?.rawValue), item("by", by ?? loginName())]
      if let id = update ?? edit {
        items += [item("text", words), item("title", title)]
        let act = update == nil ? "edit" : "update"
        try await agent.client().order("posts/\(percentEncoded(id))/\(act)", items.compactMap(\.self))
      } else {
        items += [item("title", words), item("text", text), item("target", target)]
        try await agent.client().order("posts", items.compactMap(\.self))
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the posts, the newest first.")

    @OptionGroup var agent: AgentOptions

    func run() async throws {
      let answer = try JSONValue.parse(try await agent.client().ask("/api/v1/posts").utf8)
      printOutput(PostText.posts((answer["data"]?.array ?? []).compactMap(StatusPost.init)))
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a post that was a mistake. One that is over is ended by --state resolved.")

    @Argument(help: ArgumentHelp("The post's id or its title.", valueName: "post"))
    var post: String

    @OptionGroup var agent: AgentOptions

    func validate() throws { try requireName(post, "a post: its id or its title") }

    func run() async throws {
      let items = [item("by", loginName())].compactMap(\.self)
      try await agent.client().order("posts/\(percentEncoded(post))/delete", items)
    }
  }
}

extension PostState: ExpressibleByArgument {}

/// One of a query, without the empty ones.
private func item(_ name: String, _ value: String?) -> String? {
  value.map { "\(name)=\(percentEncoded($0))" }
}

/// Posts as lines of a terminal.
enum PostText {
  static func posts(_ posts: [StatusPost]) -> String {
    guard !posts.isEmpty else { return "no post\n" }
    var lines: [String] = []
    for post in posts {
      lines.append(
        "\(post.short)  \(post.state.rawValue)  \(post.title.printable(maxBytes: 200))  (for \(post.target.text.printable(maxBytes: 210)))"
      )
      for update in post.updates.reversed() {
        let text = update.text.map { "  \($0.printable(maxBytes: StatusPost.textBytes))" } ?? ""
        let by = update.by.map { "  (by \($0.printable(maxBytes: 80)))" } ?? ""
        lines.append("        \(update.at.rfc3339.prefix(16))Z  \(update.state.rawValue)\(text)\(by)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
