// SPDX-License-Identifier: MIT

import Basics

/// `.upptimerc.yml`: the sites, each a check.
struct UpptimeImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    var checks: [ImportedCheck] = []
    for document in try ForeignNode.documents(file, ledger) {
      let config = Section(document, ledger)
      let (interval, isUnread) = interval(config)
      for site in config["sites"]?.items ?? [] {
        ledger.settle()
        do throws(ImportProblem) { try ledger.count(of: site["name"]?.text ?? "unnamed") } catch {
          throw error.of(file)
        }
        guard var check = UpptimeSite(Section(site, ledger).withoutEmptyTexts(), interval).check() else {
          continue
        }
        if isUnread { check.note(.changed, "workflowSchedule.uptime", Self.noCron) }
        checks.append(check)
      }
      ledger.settle()
      rest(config)
    }
    return checks
  }

  private static let noCron = "it is no cron expression that comes every so many minutes: 5m is taken"

  /// Of the workflow that asks the sites: a cron expression.
  private func interval(_ config: Section) -> (milliseconds: Int, isUnread: Bool) {
    let schedule = config.section("workflowSchedule")
    guard let text = schedule?["uptime"]?.text else { return (300_000, false) }
    guard let every = Self.every(text) else {
      ledger.list(schedule?["uptime"], Self.noCron, .changed)
      return (300_000, true)
    }
    schedule?.carry("uptime")
    return (every, false)
  }

  /// Milliseconds; `nil` where the times are not as long apart.
  static func every(_ cron: String) -> Int? {
    let fields = cron.split(separator: " ").map(String.init)
    guard fields.count == 5, fields[2...].allSatisfy({ $0 == "*" }) else { return nil }
    func step(_ field: String, _ whole: Int) -> Int? {
      if field == "*" { return 1 }
      guard field.hasPrefix("*/"), let step = Int(field.dropFirst(2)), step > 0, whole % step == 0 else {
        return nil
      }
      return step
    }
    if fields[1] == "*" {
      if let minutes = step(fields[0], 60) { return minutes * 60_000 }
      return Int(fields[0]) == nil ? nil : 3_600_000
    }
    guard Int(fields[0]) != nil else { return nil }
    if let hours = step(fields[1], 24) { return hours * 3_600_000 }
    return Int(fields[1]) == nil ? nil : 86_400_000
  }

  private func rest(_ config: Section) {
    config.list("write alerts.channels, see docs/alerts.md", "notifications", "assignees")
    config.list("the agent has a page of its own, see docs/status.md", "status-website", "i18n")
    config.list("it is about Upptime's other jobs on GitHub", "workflowSchedule", "commitMessages", "runner")
    config.list("each check has a schedule of its own", "delay")
    config.listRest("it is about Upptime and its repository")
  }
}

/// One site; its section lacks empty texts.
private struct UpptimeSite {
  private let section: Section
  private let interval: Int

  init(_ section: Section, _ interval: Int) { (self.section, self.interval) = (section, interval) }

  func check() -> ImportedCheck? {
    let name = section.text("name") ?? section["url"]?.text.map(ForeignURL.withoutUser) ?? "unnamed"
    let before = section.ledger.carried
    guard let url = section.text("url") else { return leaveOut(name, "it has no url") }
    let kind = section.text("check") ?? "http"
    guard kind != "http" || section["expectedStatusCodes"] == nil || !statuses.isEmpty else {
      return leaveOut(name, "it expects no status that there is")
    }
    var check: ImportedCheck
    switch kind {
    case "http" where isRemote: check = remoteRequest(url)
    case "tcp-ping" where isRemote: check = remotePing(url)
    case "http": check = http(Self.hasScheme(url) ? url : "http://\(url)")
    case "tcp-ping":
      guard let port = section.number("port") ?? (section["port"] == nil ? 80 : nil) else {
        return leaveOut(name, "its port is no number that is known before the start")
      }
      check = ImportedCheck(name: name, type: "tcp")
      check["host"] = .text(url)
      check["port"] = .number(port)
      // An address is asked as it is.
      if section.flag("ipv6") == true || IPAddress(url) == nil { check["ip"] = family }
    case "ssl":
      check = ImportedCheck(name: name, type: "tls")
      let place = isRemote ? place(of: url) : (host: url, port: nil)
      check["host"] = .text(place.host)
      check["port"] = .number(section.number("port") ?? place.port ?? 443)
      check["tls.verify"] = .plain("false")
      check["expect.certificate.fail"] = .plain("7d")
    default: return leaveOut(name, "no check here is of this kind: \(kind.printable(maxBytes: 40))")
    }
    check.name = name
    pace(&check)
    for tag in section.texts("tags") { check.tag(tag) }
    if let why = UpptimePlaceholders.placeholders.replace(in: &check) { return leaveOut(name, why) }
    rest()
    check.carried = section.ledger.carried - before
    check.notes += section.ledger.takeNotes()
    return check
  }

  // MARK: Globalping

  /// Probes of Globalping ask in place of the runner, each kind in another way.
  private var isRemote: Bool { section["type"]?.text == "globalping" }

  private var family: AgentValue { .text(section.flag("ipv6") == true ? "6" : "4") }

  /// Whether it begins with a scheme or with a variable, which may have one.
  private static func hasScheme(_ url: String) -> Bool { url.range(of: "://") != nil || url.hasPrefix("$") }

  private static func isHTTP(_ url: String) -> Bool { url.hasPrefix("http://") || url.hasPrefix("https://") }

  /// Host and port of a URL, which may lack its scheme.
  private func place(of url: String) -> (host: String, port: Int?) {
    let scheme = Self.isHTTP(url) ? url.range(of: "://") : nil
    let authority = url[(scheme?.upperBound ?? url.startIndex)...].prefix { !"/?#".contains($0) }
    let at = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
    return ForeignURL.place(String(authority[at...]))
  }

  /// It follows no redirect, and sends no body.
  private func remoteRequest(_ text: String) -> ImportedCheck {
    let url = Self.isHTTP(text) || text.hasPrefix("$") ? text : "https://\(text)"
    section.list(
      "Globalping does not read it", "body", "maxRedirects", "requestTimeout", "connectTimeout",
      change: .changed)
    var check = http(url)
    check["follow"] = .plain("false")
    check["ip"] = family
    if section["port"] != nil {
      section.list("write the port into the url", "port", change: .changed)
    }
    return check
  }

  /// A `tcp-ping` of Globalping is one of ICMP.
  private func remotePing(_ url: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "ping")
    let host = place(of: url).host
    check["host"] = .text(host)
    check["count"] = .plain("3")
    if IPAddress(host) == nil { check["ip"] = family }
    section.list("Globalping pings without a port", "port")
    check.note(.stricter, "check", "Upptime takes a ping of Globalping that is not answered for one that is")
    return check
  }

  private func leaveOut(_ name: String, _ why: String) -> ImportedCheck? {
    section.listAll(why)
    section.ledger.leaveOut(name, why)
    return nil
  }

  private func rest() {
    if section["type"]?.text == "local" { section.carry("type") }
    section.list("an agent probes from where it stands", "type", "location", change: .changed)
    section.list("no other check reads it", "ipv6", "port")
    section.list(
      "it is shown on Upptime's page only", "icon", "slug", "assignees", "verbose")
    section.listRest()
  }

  // MARK: The request

  private func http(_ url: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "http")
    check.take(url: url)
    if let method = section.text("method") { check["method"] = .text(method.uppercased()) }
    if !isRemote { check.redirects("maxRedirects", section.number("maxRedirects") ?? 3) }
    let names = headers(&check)
    if !isRemote, let body = section.text("body") {
      check.body(body)
      if !names.contains("content-type") { check.header("Content-Type", "application/x-www-form-urlencoded") }
    }
    tls(&check)
    let codes = statuses
    section.ledger.carry(section["expectedStatusCodes"])
    for code in section["expectedStatusCodes"]?.all ?? [] {
      guard let number = code.number else {
        section.ledger.list(code, "it is no status", .changed)
        continue
      }
      if number == 0 {
        section.ledger.list(code, "to Upptime a request that fails has it; it is down here", .stricter)
      } else if !Self.known.contains(number) {
        section.ledger.list(code, "no answer has it")
      }
    }
    check["expect.status"] =
      codes.isEmpty
      ? .list(["200-208", "226", "300-308"].map { .plain($0) }) : .list(codes.map { .number($0) })
    body(&check)
    return check
  }

  private static let known = 100...599

  /// Those expected that an answer can have.
  private var statuses: [Int] {
    (section["expectedStatusCodes"]?.all ?? []).compactMap(\.number).filter(Self.known.contains)
  }

  /// - Returns: the names, in lower case.
  private func headers(_ check: inout ImportedCheck) -> Set<ByteText> {
    var names: Set<ByteText> = []
    for header in section["headers"]?.items ?? [] {
      guard let text = header.text, let colon = text.firstIndex(of: ":") else { continue }
      let name = text[..<colon].trimmed
      guard names.insert(ByteText(name.lowercased())).inserted else {
        section.ledger.list(header, "a header is sent once here", .changed)
        continue
      }
      section.ledger.carry(header)
      check.header(name, text[text.index(after: colon)...].trimmed)
    }
    return names
  }

  private func tls(_ check: inout ImportedCheck) {
    guard !isRemote else {
      if check["url"]?.word?.hasPrefix("http://") != true { check["tls.verify"] = .plain("false") }
      return section.list(
        "Globalping verifies no certificate", "__dangerous__insecure", "__dangerous__disable_verify_peer",
        "__dangerous__disable_verify_host")
    }
    let all = section.flag("__dangerous__insecure") == true
    let chain = section.flag("__dangerous__disable_verify_peer") == true
    let host = section["__dangerous__disable_verify_host"]?.flag == true
    if all || chain {
      check["tls.verify"] = .plain("false")
      section.carry("__dangerous__disable_verify_host")
      if !all, !host {
        check.note(
          .laxer, "__dangerous__disable_verify_peer", "the certificate's name is not verified either")
      }
    } else if host {
      section.list(
        "a certificate is verified as a whole", "__dangerous__disable_verify_host", change: .stricter)
    } else {
      section.carry("__dangerous__disable_verify_host")
    }
  }

  private func body(_ check: inout ImportedCheck) {
    for (key, ours) in [
      ("__dangerous__body_down", "not_contains"), ("__dangerous__body_down_if_text_missing", "contains"),
    ] {
      guard let text = section.text(key) else { continue }
      check["expect.body.\(ours)"] = .list([.text(text)])
      check.note(
        ours == "contains" ? .stricter : .laxer, key, "Upptime looks for the text in the headers, too")
    }
    section.list(
      "a body makes a check down, and not degraded", "__dangerous__body_degraded",
      "__dangerous__body_degraded_if_text_missing", change: .laxer)
  }

  /// Upptime asks three times before it believes what is not up.
  private func pace(_ check: inout ImportedCheck) {
    let isHTTP = check["type"]?.word == "http"
    // A ping has five seconds of its own, whatever a request has.
    let kind = check["type"]?.word
    let whole = kind == "tcp" ? 5 : kind == "ping" ? 10 : 60
    let timeout = isHTTP && !isRemote ? section.number("requestTimeout") ?? 60 : whole
    if !isHTTP { section.list("only requests have it", "requestTimeout", "connectTimeout") }
    if !isRemote {
      section.list("connecting has the time of the whole request", "connectTimeout", change: .laxer)
    }
    section.list(
      "a run is tried three times, as Upptime tries what is not up", "maxRetries", change: .changed)
    check.pace(interval: interval, timeout: max(1, min(timeout, 100_000)) * 1000)
    check["retries"] = .plain("2")
    check["retry_delay"] = .plain("2s")
    guard kind != "tls" else { return }
    let given = section.number("maxResponseTime")
    if isHTTP, given != nil {
      check.note(
        .stricter, "maxResponseTime", "an answer that is slow and wrong is degraded there; it is down here")
    }
    let warn = given ?? 60_000
    let most = (check["timeout"]?.word).flatMap { ForeignDuration.milliseconds($0) } ?? 60_000
    let key = kind == "ping" ? "expect.rtt.warn" : "expect.response_time.warn"
    if warn > 0, warn < most { check[key] = .duration(warn) }
  }
}

/// `$NAME`, a secret of the repository.
private enum UpptimePlaceholders {
  static let placeholders = Placeholders(parts: parts)

  private static func parts(_ text: String) -> [Placeholders.Part]? {
    var parts: [Placeholders.Part] = []
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      let behind = rest[rest.index(after: dollar)...]
      let name = behind.prefix { ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_" }
      guard Placeholders.isName(name) else {
        parts.append(.text(rest[...dollar]))
        rest = behind
        continue
      }
      // Another value each time.
      if name.hasPrefix("DYNAMIC_") { return nil }
      parts.append(.text(rest[..<dollar]))
      parts.append(.variable(ByteText(String(name))))
      rest = behind[name.endIndex...]
    }
    return parts + [.text(rest)]
  }
}
