// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Something the agent reads at its start and lives on: the cached check list, a history file, a segment of the store,
/// a small file of counts. `sum` tells one content from another; of what grows all the time, such as a segment, it is
/// empty and the name alone says what is meant.
struct StartInput: Hashable, Sendable {
  var name: String
  var sum: String

  init(_ name: String, sum: String = "") {
    self.name = name
    self.sum = sum
  }
}

/// Starts that ended early, and the inputs at fault: decides which input is put aside. Pure; `StartWatch` writes it
/// down.
///
/// Two deaths over one input are enough when each is the process's own, a trap or a fault, or came while that input was
/// being read. A death from outside, SIGKILL or a lack of memory, after everything was read says less: it takes six.
/// When the machine went down, no input is blamed.
struct StartJournal: Hashable, Sendable {
  struct Deaths: Hashable, Sendable {
    var input: StartInput
    var points: Int
    var count: Int
    /// One of them was the process's own, a trap or a fault.
    var isFault: Bool
  }

  struct Aside: Hashable, Sendable {
    var input: StartInput
    /// Where it is now, seen from state_dir.
    var place: String
    var at: Timestamp
    /// The same content that comes again, from the API, is not taken: for good after a fault, for ten minutes where all
    /// deaths were kills from outside, which may have had nothing to do with it.
    var isRefused: Bool
    /// Of a history: that one of the deaths was a fault, or came while it was being read. Without that, six starts were killed
    /// from outside, which may have had nothing to do with it.
    var isFault: Bool
    /// Of the agent that died over it: another may be mended.
    var version: String
  }

  /// How many of each are remembered and kept.
  static let kept = 16
  static let enough = 6
  static let refusedAfterKills = Duration.seconds(600)
  private static let ofItsOwn = 3
  private static let fromOutside = 1

  /// Of the machine's life (`/proc/sys/kernel/random/boot_id`); empty where it cannot be read.
  private(set) var boot = ""
  private(set) var isOpen = false
  /// Being read at the moment.
  private(set) var reading: [StartInput] = []
  /// Read, believed and lived with since.
  private(set) var used: [StartInput] = []
  private(set) var deaths: [Deaths] = []
  private(set) var aside: [Aside] = []

  init() {}

  init(
    boot: String, isOpen: Bool, reading: [StartInput], used: [StartInput], deaths: [Deaths], aside: [Aside]
  ) {
    (self.boot, self.isOpen, self.reading) = (boot, isOpen, reading)
    (self.used, self.deaths, self.aside) = (used, deaths, aside)
  }

  /// Name of the whole history: which file of it a window came from, a death does not say.
  static let history = "windows"
  static let checkList = "checks.json"

  /// A start begins. The entry of the one before shows whether it died, and over which input.
  ///
  /// - Parameter signal: of its own fault, as its last act wrote it down; 0 for none.
  mutating func begin(boot: String, signal: Int) -> [Deaths] {
    let died = isOpen && (boot.isEmpty || boot == self.boot)
    var blamed: [Deaths] = []
    if died {
      let points = signal != 0 || !reading.isEmpty ? Self.ofItsOwn : Self.fromOutside
      for input in suspects { blamed.append(blame(input, points, isFault: signal != 0)) }
    } else if isOpen {
      deaths = []
    }
    (self.boot, isOpen, reading, used) = (boot, true, [], [])
    return blamed
  }

  /// Those that were being read; else the list, which says what is done; else the history.
  private var suspects: [StartInput] {
    if !reading.isEmpty { return reading }
    let adopted = used.first { $0.name == Self.checkList }
    let history = used.contains { $0.name == Self.history || $0.name.hasPrefix(Self.history + "/") }
    return [adopted ?? (history ? StartInput(Self.history) : nil)].compactMap(\.self)
  }

  private mutating func blame(_ input: StartInput, _ points: Int, isFault: Bool) -> Deaths {
    // A death without the list says that it was not the list.
    if input.name == Self.history, reading.isEmpty {
      for index in aside.indices where aside[index].input.name == Self.checkList {
        aside[index].isRefused = false
      }
    }
    var known =
      deaths.first { $0.input == input } ?? Deaths(input: input, points: 0, count: 0, isFault: false)
    known.points = min(known.points + points, Self.enough)  // bounded: both are at most 6
    known.count = min(known.count + 1, Self.enough)  // bounded: at most 6
    known.isFault = known.isFault || isFault
    deaths.removeAll { $0.input.name == input.name }
    deaths.append(known)
    // bounded: there are more than are kept
    if deaths.count > Self.kept { deaths.removeFirst(deaths.count - Self.kept) }
    return known
  }

  /// Whether so many died over it that it must not be read. A history file also shares the fate of all of them.
  func isPoison(_ input: StartInput) -> Bool {
    deaths.contains { known in
      guard known.points >= Self.enough else { return false }
      if known.input == input { return true }
      return known.input.name == Self.history && input.name.hasPrefix(Self.history + "/")
    }
  }

  mutating func begins(_ input: StartInput) {
    guard isOpen else { return }
    reading.removeAll { $0.name == input.name }
    reading.append(input)
    if reading.count > Self.kept { reading.removeFirst() }
  }

  mutating func ended(_ name: String) {
    guard isOpen, let place = reading.firstIndex(where: { $0.name == name }) else { return }
    uses(reading.remove(at: place))
  }

  /// Notes an input that is in use from now on, in the place of the one that had the name before.
  mutating func uses(_ input: StartInput) {
    guard isOpen else { return }
    // The store's segments and the history's files are many; one name stands for all of them.
    let isHistory = input.name.hasPrefix(Self.history + "/")
    let input = isHistory ? StartInput(Self.history) : input
    used.removeAll { $0.name == input.name }
    used.append(input)
    if used.count > Self.kept { used.removeFirst() }
  }

  /// It was moved out of the way.
  mutating func putAside(_ input: StartInput, to place: String, at now: Timestamp, version: String) {
    let isHistory = input.name.hasPrefix(Self.history + "/")
    let known =
      deaths.first { $0.input == input } ?? deaths.first { isHistory && $0.input.name == Self.history }
    let isFault = known.map { $0.isFault || isHistory && $0.points > $0.count } ?? true
    aside.removeAll { $0.place == place }
    aside.append(
      Aside(
        input: input, place: place, at: now, isRefused: input.name == Self.checkList && !input.sum.isEmpty,
        isFault: isFault, version: version))
    if !isHistory { deaths.removeAll { $0.input.name == input.name } }
    if aside.count > 4 * Self.kept { aside.removeFirst() }  // bounded: a constant
  }

  /// Forgets those whose file was removed.
  mutating func keepAside(where isThere: (String) -> Bool) { aside.removeAll { !isThere($0.place) } }

  /// Why content that comes from elsewhere is not taken: an agent of this version died over it. A clock that was set back
  /// holds nothing up for longer.
  func refusal(of input: StartInput, version: String, at now: Timestamp) -> Aside? {
    aside.first {
      $0.isRefused && $0.input == input && $0.version == version
        && ($0.isFault || $0.at <= now && now < $0.at.advanced(by: Self.refusedAfterKills))
    }
  }

  /// It has lived for a minute, or ends as it should.
  mutating func settle() {
    (isOpen, reading, used, deaths) = (false, [], [], [])
  }
}
