// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// News of the public face: outages, which are folded where they followed closely, posts by people, and maintenance to come. An
/// entry keeps its id and changes with its subject.
package struct PublicFeed {
  struct Item {
    var id: UniqueID
    var title: String
    var published: Timestamp
    var updated: Timestamp
    var text: String
  }

  let picture: PublicPicture
  let language: PublicLanguage

  package init(picture: PublicPicture, language: PublicLanguage) {
    (self.picture, self.language) = (picture, language)
  }

  static let limit = 100
  /// For the ids of entries and of feeds.
  static let namespace = MaintenanceWindow.publicNamespace

  var words: any PublicWords { language.words }
  var title: String { Sentence.plain(picture.face.title) }
  /// The same in all languages.
  var id: UniqueID { .v5(namespace: Self.namespace, name: picture.face.path + picture.face.title) }

  /// The newest change first.
  var items: [Item] {
    var all: [Item] = []
    for check in picture.checks {
      for fold in OutageFold.all(of: check) { all.append(item(fold)) }
    }
    for post in picture.posts { all.append(item(post)) }
    for window in picture.windows where !window.isActive { all.append(item(window)) }
    return Array(all.sorted { $0.updated > $1.updated }.prefix(Self.limit))
  }

  private func moment(_ instant: Timestamp, after begin: Timestamp? = nil) -> Sentence {
    // The day is always there: a feed is read on another one.
    begin.map { Sentence(at: instant, after: $0) } ?? Sentence(at: instant, now: .epoch)
  }

  private func item(_ fold: OutageFold) -> Item {
    let name = Sentence(name: fold.check.name)
    let length = words.length(fold.length)
    let title =
      fold.end == nil
      ? words.began(name)
      : fold.count > 1
        ? words.flapped(name, count: fold.count, length: length) : words.ended(name, length: length)
    let lasts = words.sinceMoment(moment(fold.newest))
    let text =
      fold.end.map { words.fromTo(moment(fold.begin), moment($0, after: fold.begin)) }
      ?? (fold.count > 1 ? "\(lasts)\n\(fold.words(words))" : lasts)
    return Item(
      id: .v5(namespace: fold.check.id, name: "outage \(fold.begin.rfc3339)"), title: title.text(words),
      published: fold.begin, updated: fold.changed, text: text.text(words))
  }

  private func item(_ post: StatusPost) -> Item {
    let lines = post.updates.reversed().map { update in
      let head = "\(moment(update.at).text(words)) · \(words.word(update.state))"
      return head + (update.text.map { ": \($0)" } ?? "")
    }
    return Item(
      id: post.id, title: "\(words.word(post.state)): \(post.title)", published: post.begin,
      updated: post.changed, text: lines.joined(separator: "\n"))
  }

  private func item(_ window: PublicPicture.Window) -> Item {
    let names = words.names(
      window.names.prefix(5).map { Sentence(name: $0) }, more: max(0, window.names.count - 5))
    let hours = words.fromTo(moment(window.from), moment(window.until, after: window.from))
    let announced = window.announced ?? window.from.advanced(by: .zero - picture.face.announce)
    let text = hours.text(words) + (window.title.map { " · \($0)" } ?? "")
    return Item(
      id: window.id, title: "\(words.plannedMaintenance): \(names.text(words))", published: announced,
      updated: announced, text: text)
  }
}
