// SPDX-License-Identifier: MIT

import Basics

/// Status pages: the first that is published becomes `status.public`, its groups tags of their checks.
struct KumaPages {
  private let source: ForeignNode
  /// Keys of checks, by the ids of monitors and of groups of them.
  private let keys: [ByteText: [Int]]
  private let ledger: Ledger

  init(_ source: ForeignNode, _ keys: [ByteText: [Int]], _ ledger: Ledger) {
    (self.source, self.keys, self.ledger) = (source, keys, ledger)
  }

  mutating func write(_ checks: inout [ImportedCheck]) {
    let pages = (source["statusPageList"]?.items ?? []).map { KumaRow($0, ledger) }
    let chosen = pages.firstIndex { $0["published"]?.flag == true }
    for (index, page) in pages.enumerated() where index != chosen {
      let why = page["published"]?.flag == true ? "there is one public page" : "the page is not published"
      ledger.list(page.node, why)
      ledger.leaveOut("status page \(page["title"]?.text ?? "unnamed")", why)
    }
    guard let chosen, let id = pages[chosen]["id"]?.text else { return }
    let before = ledger.carried
    var page = ImportedCheck(named: "status page")
    page["listen"] = .text("127.0.0.1:9798")
    page["title"] = pages[chosen].text("title").map { .text($0) }
    pages[chosen].carry("id", "published", "slug")
    let names = groups(of: id, &checks, &page)
    if !names.isEmpty { page["groups"] = .list(names.map { .text($0) }) }
    page.note(.changed, "listen", "only this machine reaches it; write the address that visitors use")
    ledger.list(pages[chosen].node, "how the page looks", always: false)
    page.notes += ledger.takeNotes()
    page.carried = ledger.carried - before
    ledger.sections.page = page
  }

  /// - Returns: the tags, in the order of the page.
  private func groups(
    of page: String, _ checks: inout [ImportedCheck], _ made: inout ImportedCheck
  ) -> [String] {
    var members: [ByteText: [Int]] = [:]
    var showsTargets = false
    for node in source["monitorGroupList"]?.items ?? [] {
      guard let monitor = node["monitor_id"]?.text, let group = node["group_id"]?.text else { continue }
      ledger.carry(node)
      if node["send_url"]?.flag == true { showsTargets = true }
      members[ByteText(group), default: []] += keys[ByteText(monitor)] ?? []
    }
    if showsTargets { made["hide_targets"] = .plain("false") }
    let places = Dictionary(
      checks.enumerated().map { ($0.element.key, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let groups = (source["groupList"]?.items ?? []).filter {
      $0["status_page_id"]?.text == page && $0["public"]?.flag != false
    }
    var names: [String] = []
    var known: Set<ByteText> = []
    for group in groups.sorted(by: { ($0["weight"]?.number ?? 0) < ($1["weight"]?.number ?? 0) }) {
      ledger.carry(group)
      guard let id = group["id"]?.text, let name = group["name"]?.text else { continue }
      let own = Set((members[ByteText(id)] ?? []).compactMap { places[$0] })
      let tag = free(ImportedCheck.tag(of: name), own, checks)
      guard !tag.isEmpty, known.insert(ByteText(tag)).inserted else { continue }
      if tag != ImportedCheck.tag(of: name) {
        made.note(
          .changed, "groupList.name", "\(name.printable(maxBytes: 64)) is \(tag): other checks have that tag")
      }
      names.append(tag)
      for place in own { checks[place].tag(tag) }
    }
    return names
  }

  /// A tag that no check beside those of the group bears: the page shows all that do.
  private func free(_ tag: String, _ own: Set<Int>, _ checks: [ImportedCheck]) -> String {
    func isTaken(_ tag: String) -> Bool {
      checks.indices.contains { index in
        guard !own.contains(index), case .list(let tags)? = checks[index]["tags"] else { return false }
        return tags.contains { $0.word.map { ByteText($0) } == ByteText(tag) }
      }
    }
    guard !tag.isEmpty, isTaken(tag) else { return tag }
    let others = (2...9).map { "\(tag.prefix(50))-\($0)" }
    return others.first { !isTaken($0) } ?? ""
  }
}
