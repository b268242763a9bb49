// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The parts of YAML that a reader takes, and its bounds.
package struct YAMLRules: Sendable {
  /// Treatment of anchors, aliases, tags, directives, merge keys and further documents.
  package enum Extras: Sendable {
    /// Each is a problem, and so are a byte order mark, a tab that indents, and an empty text. `<<` is a key like others.
    case refused
    /// As programs in Go read them: of the tags `!!str` and `!!binary`, others are ignored. Texts repeated by aliases
    /// count like texts written out.
    case read(directives: Int, values: Int, text: Int)
  }

  /// Bytes of a text.
  package var bytes: Int
  /// Lists, maps and the value itself above one another.
  package var depth: Int
  /// Brackets are counted without what is around them: a text full of them is told of at the first that is too many.
  package var bracketsApart: Bool
  package var extras: Extras
  /// Problems that are kept; the reader goes on behind the first of several.
  package var problems: Int

  package init(bytes: Int, depth: Int, bracketsApart: Bool, extras: Extras, problems: Int) {
    (self.bytes, self.depth, self.bracketsApart) = (bytes, depth, bracketsApart)
    (self.extras, self.problems) = (extras, problems)
  }

  var refusesExtras: Bool { if case .refused = extras { true } else { false } }
}

/// How deep a node lies.
struct YAMLDepth {
  /// Lists, maps and the value itself.
  private var nodes = 1
  /// Brackets around it, and its own.
  private var brackets = 0

  func isBeyond(_ rules: YAMLRules, at event: YAMLEvent) -> Bool {
    event.isFlowStart && rules.bracketsApart ? brackets >= rules.depth : nodes > rules.depth
  }

  func inside(_ event: YAMLEvent) -> YAMLDepth {
    var depth = self
    depth.nodes += 1
    if event.isFlowStart { depth.brackets += 1 }
    return depth
  }
}

/// A fact about a text that its rules do not allow. The words are the room's that reads it.
package struct YAMLProblem: Sendable {
  package enum Mark: Sendable { case anchor, alias, tag, directive, tab }

  package enum Kind: Sendable {
    case tooLarge, noUTF8, byteOrderMark, noMemory
    /// No value in the text.
    case empty
    case secondDocument
    case mark(Mark)
    /// libyaml's own complaint, and where its context began.
    case failure(LibyamlWords, began: Position?)
    case tooDeep, tooManyDirectives, tooManyValues, tooMuchText
    /// A list or a map as a key.
    case keyIsNoText
    /// A key of a map for the second time, and where it stood last.
    case twice(String, last: Position)
    /// An alias without its anchor.
    case noAnchor
    /// `!!binary` that is no Base64.
    case noBase64
    /// A merge key with something else than maps.
    case noMaps
  }

  package var kind: Kind
  /// `nil`: about the text as a whole.
  package var position: Position?
}
