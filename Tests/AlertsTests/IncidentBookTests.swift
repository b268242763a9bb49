// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// What is one incident, and what is several.
@Suite struct IncidentBookTests {
  private func book(_ checks: [MonitoringCheck] = []) -> IncidentBook {
    var book = IncidentBook(groupWait: .seconds(15), generator: Counter())
    book.apply(DependencyGraph(checks))
    return book
  }

  private func trouble(
    _ check: MonitoringCheck, at seconds: Int64, subject: AlertSubject = .availability, rule: String = "down"
  ) -> Trouble {
    var trouble = Trouble(
      key: Trouble.Key(rule: rule, check: check.id), subject: subject, severity: .high, name: check.name,
      target: check.target, since: after(seconds))
    trouble.state = .down
    trouble.relation = Trouble.Relation(check, peer: nil)
    return trouble
  }

  private func take(_ book: inout IncidentBook, _ check: MonitoringCheck, at seconds: Int64) {
    book.take(.holds(trouble(check, at: seconds)), now: reading(seconds))
  }

  /// The same host is the same incident, however late; another host far away is another.
  @Test func theSameHost() throws {
    let checks = [
      try makeCheck("web", host: "a.example"), try makeCheck("ssh", host: "A.example"),
      try makeCheck("far", host: "203.0.113.1"),
    ]
    var book = book()
    take(&book, checks[0], at: 0)
    take(&book, checks[1], at: 4000)
    take(&book, checks[2], at: 4000)
    #expect(book.opened.map(\.activeCount) == [2, 1])
  }

  /// One network within a minute of the begin, not later.
  @Test func theSameNetwork() throws {
    let checks = try (1...3).map { try makeCheck("n\($0)", host: "192.0.2.\($0)") }
    var book = book()
    take(&book, checks[0], at: 0)
    take(&book, checks[1], at: 60)
    take(&book, checks[2], at: 61)
    #expect(book.opened.map(\.activeCount) == [2, 1])
  }

  /// Parent and children, in whichever order they are found out, and children of one parent within ten minutes.
  @Test func dependencies() throws {
    let gateway = try makeCheck("gateway", host: "198.51.100.1")
    let shops = try (1...3).map { try makeCheck("shop\($0)", host: "203.\($0).113.1", on: ["gateway"]) }
    var book = book([gateway] + shops)
    take(&book, shops[0], at: 0)
    take(&book, gateway, at: 300)
    take(&book, shops[1], at: 5000)
    #expect(book.opened.map(\.activeCount) == [3], "the parent is in it: its children belong to it")
    var other = self.book([gateway] + shops)
    take(&other, shops[0], at: 0)
    take(&other, shops[1], at: 600)
    take(&other, shops[2], at: 1201)
    #expect(other.opened.map(\.activeCount) == [2, 1])
  }

  /// Each member of an incident that is over is told as what became of it, whoever joined last.
  @Test func overAsEachEnded() throws {
    let shop = try makeCheck("Shop"), mail = try makeCheck("Mail"), news = try makeCheck("News")
    func title(_ ends: [(MonitoringCheck, TroubleEnd)]) -> String {
      var incident = Incident(
        id: UniqueID(high: 1, low: 1), subject: .availability, begin: after(0), opened: after(0),
        at: reading(0).boot)
      for (check, end) in ends {
        incident.take(trouble(check, at: 0), at: reading(0))
        incident.leave(Trouble.Key(rule: "down", check: check.id), at: reading(60), end)
      }
      return incident.overTitle
    }
    #expect(
      title([(shop, .recovered), (mail, .recovered), (news, .moved)])
        == "Shop and 1 more are up again; News is reported in another incident of the group")
    #expect(
      title([(shop, .moved), (news, .moved)])
        == "Shop and 1 more are reported in another incident of the group")
    for ends in [
      [(shop, TroubleEnd.recovered), (news, .maintenance)], [(news, .maintenance), (shop, .recovered)],
    ] {
      #expect(title(ends) == "Shop is up again; News: maintenance began")
    }
  }

  /// The same resource.
  @Test func theSameResource() throws {
    let id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    let checks = [
      try makeCheck("a", host: "203.0.113.1", resource: id),
      try makeCheck("b", host: "198.51.100.1", resource: id),
    ]
    var book = book()
    for check in checks { take(&book, check, at: 0) }
    #expect(book.opened.map(\.activeCount) == [2])
  }

  /// A certificate that ends must not hide that its server is down.
  @Test func subjectsStayApart() throws {
    let web = try makeCheck("web")
    var book = book()
    book.take(.holds(trouble(web, at: 0, subject: .certificate, rule: "certificate")), now: reading(0))
    take(&book, web, at: 10)
    #expect(book.opened.count == 2)
  }

  /// It ends when nothing has been wrong for long enough; what comes back before is the same incident.
  @Test func itEndsWhenItIsQuiet() throws {
    let web = try makeCheck("web")
    var book = book()
    take(&book, web, at: 0)
    let id = book.opened[0].id
    let key = Trouble.Key(rule: "down", check: web.id)
    book.take(.ended(key, at: after(60), .recovered), now: reading(60))
    book.advance(to: reading(74).boot)
    take(&book, web, at: 74)
    #expect(book.opened.map(\.id) == [id])
    book.take(.ended(key, at: after(80), .recovered), now: reading(80))
    book.advance(to: reading(94).boot)
    #expect(book.open.count == 1)
    book.advance(to: reading(95).boot)
    #expect(book.open.isEmpty && book.over.map(\.id) == [id])
    #expect(book.over[0].begin == after(0) && book.over[0].end == after(80))
    take(&book, web, at: 100)
    #expect(book.opened[0].id != id)
  }

  /// Ten thousand failures at once cost about as much each as a hundred.
  @Test(.timeLimit(.minutes(1))) func aStormIsNoMoreWorkEach() throws {
    let checks = try (0..<10_000).map { try makeCheck("c\($0)", host: "h\($0).example") }
    var book = book()
    for check in checks { take(&book, check, at: 0) }
    for check in checks {
      book.take(
        .ended(Trouble.Key(rule: "down", check: check.id), at: after(60), .recovered), now: reading(60))
    }
    book.advance(to: reading(120).boot)
    #expect(book.open.isEmpty && book.over.count == 10_000)
    book.forget { _ in true }
    #expect(book.over.count == IncidentBook.kept)
  }
}
