// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// quartz: the rules over several keys
extension SettingsBuilder {
  /// Said before what is wrong inside it.
  mutating func uselessSupabase() {
    let quartz = root.map("quartz")
    let target = quartz.map("deliver")["to"]?.text
    guard quartz["supabase"] != nil, target != DeliverSettings.Target.supabase.rawValue else { return }
    guard !quartz.isInvalid(["deliver", "to"]) else { return }
    walk.problem(
      quartz.position(of: ["supabase"]), "quartz.supabase has no effect without quartz.deliver.to: supabase")
  }

  mutating func judgeQuartz(_ settings: inout QuartzSettings?) {
    guard let given = root["quartz"], !given.isInvalid else { return }
    let map = root.map("quartz")
    judgePull(map.map("checks"))
    let isSupabase = map.map("deliver")["to"]?.text == DeliverSettings.Target.supabase.rawValue
    judgeSupabase(map, isSupabase: isSupabase)
    if map["update_resources"]?.flag == true, !isSupabase, !map.isInvalid(["deliver", "to"]) {
      walk.problem(
        map.position(of: ["update_resources"]),
        "quartz.update_resources has no effect without quartz.deliver.to: supabase",
        hint: "with quartz.deliver.to: quartz the backend writes the status of resources")
    }
    settings?.apiKeyFile = map["api_key"]?.sourceFile
  }

  /// Results that come often enough for a request at each flush use up the hour's budget where flushes are too close together.
  mutating func judgeRequests(_ settings: Settings) {
    guard settings.delivers, let deliver = settings.quartz?.deliver else { return }
    let hour = Duration.seconds(3600)
    let flushes = hour.seconds / deliver.every.seconds
    let results = settings.checks.filter(\.enabled).reduce(0.0) { $0 + hour.seconds / $1.interval.seconds }
    let isOpen = settings.quartz?.checks.pull == true || root["discover"] != nil
    let requests = isOpen ? flushes : min(flushes, results)
    let most = Double(DeliverSettings.requestsPerHour)
    guard requests > most else { return }
    let spent = Int(60 * most / requests)  // bounded: within an hour
    walk.warn(
      root.map("quartz").map("deliver").position(of: ["every"]),
      "quartz.deliver.every \(deliver.every.text) makes up to \(Int(requests)) requests an hour, and \(DeliverSettings.requestsPerHour)"
        + " are for new results: used up after \(spent) min, results then wait for up to \(60 - spent) min",
      hint: "5s or longer is always within the budget")
  }

  private mutating func judgePull(_ map: GivenMap) {
    if map["pull"]?.flag == true {
      if map["only"] == nil {
        walk.warn(
          map.position(of: ["pull"]), "quartz.checks.pull runs every check the key can see, of all clients",
          hint: "choose some with quartz.checks.only")
      }
    } else if let other = map.entries.first(where: { $0.name != "pull" }) {
      walk.problem(
        other.value.position, "quartz.checks.\(other.name) has no effect without quartz.checks.pull: true")
    }
  }

  private mutating func judgeSupabase(_ quartz: GivenMap, isSupabase: Bool) {
    guard quartz["supabase"] != nil else {
      guard isSupabase else { return }
      walk.problem(
        quartz.map("deliver").position(of: ["to"]),
        "quartz.deliver.to supabase needs the section quartz.supabase")
      return
    }
    let map = quartz.map("supabase")
    if map["service_key"] != nil {
      for key in ["email", "password"] where map[key] != nil {
        walk.problem(
          map.position(of: [key]), "quartz.supabase.\(key) has no effect beside quartz.supabase.service_key",
          hint: "keep one of them")
      }
      walk.warn(
        map.position(of: ["service_key"]), "quartz.supabase.service_key bypasses every rule of the database",
        hint: "an account with email and password may do less")
      return
    }
    missing("email", map, hint: "results are sent in the name of a team member")
    missing("password", map, hint: "such as password: ${file:/run/secrets/password}")
    missing("api_key", map, hint: "such as api_key: ${file:/run/secrets/api_key}")
  }

  private mutating func missing(_ key: String, _ map: GivenMap, hint: String) {
    guard map[key] == nil else { return }
    walk.problem(map.position, "quartz.supabase.\(key) is missing", hint: hint)
  }
}
