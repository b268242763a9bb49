// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Testing

@testable import Agent

/// What of a changed configuration is looked at before it is believed.
@Suite struct ReloadGuardTests {
  private let dawn = Timestamp(seconds: 1_767_492_000)

  private func list(_ pattern: String, _ names: String...) -> ConfigList {
    ConfigList(pattern: pattern, what: "files", names: Set(names.map { ByteText($0) }))
  }

  @Test func aFolderThatEmptiedIsHeldForTenMinutes() {
    let full = [list("/c/*.yaml", "a", "b", "c")]
    let empty = [list("/c/*.yaml")]
    var lists = ReloadGuard(full)
    let why =
      "/c/*.yaml: 3 of 3 files disappeared at once; the previous list is kept until they have been missing for 10m"
    #expect(lists.judge(empty, isOrdered: false, at: dawn) == [why])
    #expect(lists.judge(empty, isOrdered: false, at: dawn.advanced(by: .seconds(300))) == [why])
    #expect(lists.judge(empty, isOrdered: false, at: dawn.advanced(by: .seconds(600))) == [])
    #expect(lists.judge(full, isOrdered: false, at: dawn.advanced(by: .seconds(660))) == [])
  }

  @Test func aFolderThatComesBackIsTaken() {
    let full = [list("/c/*.yaml", "a", "b", "c")]
    var lists = ReloadGuard(full)
    #expect(lists.judge([list("/c/*.yaml", "a")], isOrdered: false, at: dawn).count == 1)
    #expect(lists.judge(full, isOrdered: false, at: dawn.advanced(by: .seconds(60))) == [])
    // Another loss is another doubt.
    let later = dawn.advanced(by: .seconds(600))
    #expect(lists.judge([list("/c/*.yaml", "a")], isOrdered: false, at: later).count == 1)
  }

  @Test func whoOrdersItMeansIt() {
    var lists = ReloadGuard([list("/c/*.yaml", "a", "b", "c")])
    #expect(lists.judge([list("/c/*.yaml")], isOrdered: true, at: dawn) == [])
    // It is what is in force: nothing is gone any more.
    #expect(lists.judge([list("/c/*.yaml")], isOrdered: false, at: dawn) == [])
  }

  /// A configuration is taken as a whole: one list that waits holds the others where they are.
  @Test func whatWaitsMovesNothing() {
    var lists = ReloadGuard([list("/a/*", "1", "2", "3"), list("/b/*", "1", "2", "3")])
    let half = [list("/a/*"), list("/b/*", "3", "4", "5", "6")]
    #expect(lists.judge(half, isOrdered: false, at: dawn).count == 2)
    // /b is whole again, and would have lost nothing against what was refused.
    #expect(lists.judge([list("/a/*"), list("/b/*", "4", "5", "6")], isOrdered: false, at: dawn).count == 2)
    #expect(lists.judge([list("/a/*", "1", "2"), list("/b/*", "2", "3")], isOrdered: false, at: dawn) == [])
  }

  /// A pattern that nobody writes any more is somebody's decision, and a new one has lost nothing.
  @Test func otherPatternsAreOtherLists() {
    var lists = ReloadGuard([list("/a/*", "1", "2", "3")])
    #expect(lists.judge([list("/b/*")], isOrdered: false, at: dawn) == [])
    #expect(lists.judge([list("/a/*")], isOrdered: false, at: dawn) == [])
  }
}
