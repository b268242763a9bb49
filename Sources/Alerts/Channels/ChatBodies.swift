// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What chat programs are sent.
extension WebhookBody {
  /// Slack, "Formatting text for app surfaces": three characters are escaped, and then nothing is a mention or a link.
  private static func slackText(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Incoming webhooks of Slack: 3,000 characters a section, 50 blocks. Beside blocks `text` is only what a phone shows on
  /// its lock screen. Plain text has no markup at all.
  func slack(_ json: inout JSONWriter) {
    let header = text.title.printable(maxBytes: 150)
    json.object { json in
      json.field("text", Self.slackText(text.title))
      json.key("blocks")
      json.array { json in
        block("header", header, &json)
        block("section", text.joined(below: header, maxBytes: 2900), &json)
        guard let link = message.link else { return }
        json.object { json in
          json.field("type", "actions")
          json.key("elements")
          json.array { json in
            json.object { json in
              json.field("type", "button")
              json.key("text")
              json.object { plain(message.linkLabel, &$0) }
              json.field("url", link)
            }
          }
        }
      }
    }
  }

  private func block(_ type: String, _ text: String, _ json: inout JSONWriter) {
    json.object { json in
      json.field("type", type)
      json.key("text")
      json.object { plain(text, &$0) }
    }
  }

  private func plain(_ text: String, _ json: inout JSONWriter) {
    json.field("type", "plain_text")
    json.field("text", text)
    json.field("emoji", false)
  }

  /// An Adaptive Card in the envelope of Teams' workflows, 28 KiB at most. A TextBlock reads Markdown; a TextRun does not.
  func teams() -> [UInt8] {
    func bytes(_ lines: [String]) -> [UInt8] {
      var json = JSONWriter(reserving: 4096)
      card(lines, &json)
      return json.bytes
    }
    return bytes(
      text.lines(below: text.title) { lines in
        lines.count <= Self.teamsLines && bytes(lines).count <= Self.teamsBytes
      })
  }

  private static let teamsBytes = 28 * 1024
  /// More are a wall that people scroll by.
  private static let teamsLines = 60

  private func card(_ lines: [String], _ json: inout JSONWriter) {
    json.object { json in
      json.field("type", "message")
      json.key("attachments")
      json.array { json in
        json.object { json in
          json.field("contentType", "application/vnd.microsoft.card.adaptive")
          json.key("content")
          json.object { json in
            json.field("$schema", "http://adaptivecards.io/schemas/adaptive-card.json")
            json.field("type", "AdaptiveCard")
            json.field("version", "1.4")
            json.key("body")
            json.array { json in
              run(text.title, bold: true, &json)
              for line in lines { run(line, bold: false, &json) }
            }
            guard let link = message.link else { return }
            json.key("actions")
            json.array { json in
              json.object { json in
                json.field("type", "Action.OpenUrl")
                json.field("title", message.linkLabel)
                json.field("url", link)
              }
            }
          }
        }
      }
    }
  }

  private func run(_ text: String, bold: Bool, _ json: inout JSONWriter) {
    json.object { json in
      json.field("type", "RichTextBlock")
      json.key("inlines")
      json.array { json in
        json.object { json in
          json.field("type", "TextRun")
          json.field("text", text)
          if bold {
            json.field("weight", "Bolder")
            json.field("size", "Large")
          }
        }
      }
    }
  }

  /// Discord's markup is undone by backslashes, and nothing is a mention, whatever the text says. An embed takes a title of
  /// 256, a description of 4,096 and 6,000 in all.
  func discord(_ json: inout JSONWriter) {
    func plain(_ text: String) -> String {
      var result = ""
      for character in text.unicodeScalars {
        if "\\*_~`|>#-[]()<@:".unicodeScalars.contains(character) { result += "\\" }
        result.unicodeScalars.append(character)
      }
      return result
    }
    let title = plain(text.title).printable(maxBytes: 250)
    // The words are compared as they are read.
    let shown = title == plain(text.title) ? text.title : title
    json.object { json in
      json.key("allowed_mentions")
      json.object { json in
        json.key("parse")
        json.array { _ in }
      }
      json.key("embeds")
      json.array { json in
        json.object { json in
          json.field("title", title)
          json.field("description", text.joined(below: shown, maxBytes: 4000, as: plain))
          json.field("color", Int(color, radix: 16) ?? 0)
          json.field("timestamp", message.at)
          json.fieldIfPresent("url", message.link)
        }
      }
    }
  }
}
