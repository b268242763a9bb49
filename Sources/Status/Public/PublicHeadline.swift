// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The state of everything that is shown in one sentence with names, and a line below it.
struct PublicHeadline {
  let sentence: Sentence
  /// How many services work, and since when others do not.
  private(set) var detail: [Sentence] = []
  let tone: Badge.Tone
  let mark: String

  init(_ picture: PublicPicture, _ words: any PublicWords) {
    let checks = picture.checks
    func all(_ state: PublicCheck.State) -> [PublicCheck] { checks.filter { $0.state == state } }
    let (down, degraded, unknown) = (all(.down), all(.degraded), all(.unknown))
    var clauses: [Sentence] = []
    func add(_ checks: [PublicCheck], _ clause: (Sentence, Bool) -> Sentence) {
      guard !checks.isEmpty else { return }
      clauses.append(clause(words.names(of: checks), checks.count == 1))
    }
    add(down) { words.down($0, isOne: $1) }
    add(degraded.filter(\.isSlow)) { words.slow($0, isOne: $1) }
    add(degraded.filter { !$0.isSlow }) { words.impaired($0, isOne: $1) }
    let isTrouble = !clauses.isEmpty
    // A post says what the checks do not see; beside what they see its card is enough.
    let posts =
      isTrouble ? [] : picture.posts.filter { $0.state == .investigating || $0.state == .identified }
    if !posts.isEmpty { clauses.append(words.names(of: posts.map(\.title))) }
    add(unknown) { words.unknown($0, isOne: $1) }
    // Where something fails, the count and the list say it.
    if !isTrouble { add(all(.maintenance)) { words.inMaintenance($0, isOne: $1) } }
    let state: PublicCheck.State =
      !down.isEmpty
      ? .down : !degraded.isEmpty || !posts.isEmpty ? .degraded : clauses.isEmpty ? .up : .unknown
    let isShown = !checks.isEmpty || !posts.isEmpty
    tone = isShown ? Badge.Tone(state) : .unknown
    let isMaintained = state == .unknown && unknown.isEmpty
    mark = !isShown ? "" : isMaintained ? PublicCheck.State.maintenance.mark : state.mark
    if !isShown {
      sentence = Sentence(words: words.nothingShown)
    } else if clauses.isEmpty {
      sentence = Sentence(words: words.allWork)
    } else {
      sentence = .joined(clauses, by: words.clauseGap)
    }
    if isTrouble {
      detail = Self.detail(down + degraded, of: checks, picture.now, words)
    } else {
      detail = posts.prefix(1).map { Sentence(words: words.word($0.state)) }
      let working = checks.count { $0.state == .up }
      // Of none and of all the sentence says it.
      if posts.isEmpty, working > 0, working < checks.count {
        detail.append(Sentence(words: words.working(working, of: checks.count)))
      }
    }
  }

  private static func detail(
    _ failing: [PublicCheck], of checks: [PublicCheck], _ now: Timestamp, _ words: any PublicWords
  ) -> [Sentence] {
    let working = checks.count { $0.state == .up }
    var detail = [Sentence(words: words.working(working, of: checks.count))]
    if let first = failing.compactMap(\.since).min() {
      let moment = Sentence(at: first, now: now, isOwn: true)
      detail.append(words.since(moment, length: words.length(first.duration(to: now))))
    }
    return detail
  }
}
