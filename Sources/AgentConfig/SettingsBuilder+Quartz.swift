// SPDX-License-Identifier: MIT

import Monitoring

extension SettingsBuilder {
  /// Nil when it is unusable; the problems say why.
  mutating func quartz(_ map: TypedMap) -> QuartzSettings? {
    if root.isInvalid(["quartz"]) { return nil }
    let url = baseURL(map, ["quartz", "url"], example: "https://PROJECT.example/functions/v1/public-api/v1")
    let key = secret(map, ["quartz", "api_key"], required: true)
    let pull = pull(map.map("checks"))
    let deliver = deliver(map.map("deliver"))
    let supabase = supabase(map, deliver)
    guard let url, let key else { return nil }
    var settings = QuartzSettings(url: url, apiKey: key, apiKeyFile: map["api_key"]?.sourceFile)
    settings.checks = pull
    settings.deliver = deliver
    settings.supabase = supabase
    settings.updateResources = updateResources(map, deliver)
    return settings
  }

  private mutating func updateResources(_ map: TypedMap, _ deliver: DeliverSettings) -> Bool {
    guard map.flag("update_resources") == true else { return false }
    if deliver.target != .supabase, !map.isInvalid(["deliver", "to"]) {
      walk.problem(
        map.position(of: ["update_resources"]),
        "quartz.update_resources has no effect without quartz.deliver.to: supabase",
        hint: "with quartz.deliver.to: quartz the backend writes the status of resources")
    }
    return true
  }

  private mutating func pull(_ map: TypedMap) -> PullSettings {
    var settings = PullSettings()
    settings.pull = map.flag("pull") ?? settings.pull
    settings.every = map.duration("every") ?? settings.every
    settings.only = filter(map, "only")
    settings.except = filter(map, "except")
    settings.pingICMP = map.flag("ping_icmp") ?? settings.pingICMP
    settings.readBody = map.flag("read_body") ?? settings.readBody
    settings.cacheCredentials = map.flag("cache_credentials") ?? settings.cacheCredentials
    if settings.pull {
      if map["only"] == nil {
        walk.warn(
          map.position(of: ["pull"]), "quartz.checks.pull runs every check the key can see, of all clients",
          hint: "choose some with quartz.checks.only")
      }
    } else if let other = map.entries.first(where: { $0.name != "pull" }) {
      walk.problem(
        other.value.position, "quartz.checks.\(other.name) has no effect without quartz.checks.pull: true")
    }
    return settings
  }

  private mutating func filter(_ map: TypedMap, _ key: String) -> CheckFilter {
    let map = map.map(key)
    var filter = CheckFilter()
    filter.resources = ids(map, "resources", "quartz.checks.\(key)")
    filter.checks = ids(map, "checks", "quartz.checks.\(key)")
    filter.types = map.texts("types") ?? []
    return filter
  }

  private mutating func ids(_ map: TypedMap, _ key: String, _ prefix: String) -> [UniqueID] {
    var ids: [UniqueID] = []
    for (index, item) in (map.list(key) ?? []).enumerated() {
      guard case .text(let text) = item.value else { continue }
      if let id = UniqueID(text) {
        ids.append(id)
      } else {
        walk.problem(
          item.position,
          "\(prefix).\(key)[\(index)] must be a UUID, found \(item.isSecret ? Redacted.mark : quoted(text))")
      }
    }
    return ids
  }

  private func deliver(_ map: TypedMap) -> DeliverSettings {
    var settings = DeliverSettings()
    settings.target = map.text("to").flatMap(DeliverSettings.Target.init) ?? settings.target
    settings.batch = map.integer("batch") ?? settings.batch
    settings.every = map.duration("every") ?? settings.every
    settings.messages = map.flag("messages") ?? settings.messages
    return settings
  }

  private mutating func supabase(_ quartz: TypedMap, _ deliver: DeliverSettings) -> SupabaseSettings? {
    let map = quartz.map("supabase")
    guard quartz["supabase"] != nil else {
      if deliver.target == .supabase {
        walk.problem(
          quartz.map("deliver").position(of: ["to"]),
          "quartz.deliver.to supabase needs the section quartz.supabase")
      }
      return nil
    }
    if deliver.target != .supabase, !quartz.isInvalid(["deliver", "to"]) {
      walk.problem(
        quartz.position(of: ["supabase"]), "quartz.supabase has no effect without quartz.deliver.to: supabase"
      )
    }
    let url = baseURL(map, ["quartz", "supabase", "url"], example: "https://PROJECT.supabase.example")
    let login = login(map)
    let needsKey = map["service_key"] == nil
    let key = secret(map, ["quartz", "supabase", "api_key"], required: needsKey)
    guard let url, let login, key != nil || !needsKey else { return nil }
    return SupabaseSettings(url: url, apiKey: key, login: login)
  }

  private mutating func login(_ map: TypedMap) -> SupabaseSettings.Login? {
    let path = ["quartz", "supabase"]
    if map["service_key"] != nil {
      for key in ["email", "password"] where map[key] != nil {
        walk.problem(
          map.position(of: [key]), "quartz.supabase.\(key) has no effect beside quartz.supabase.service_key",
          hint: "keep one of them")
      }
      walk.warn(
        map.position(of: ["service_key"]), "quartz.supabase.service_key bypasses every rule of the database",
        hint: "an account with email and password may do less")
      return secret(map, path + ["service_key"], required: true).map { .serviceKey($0) }
    }
    let email = map.text("email")
    if email == nil, !map.isInvalid(["email"]) {
      walk.problem(
        map.position, "quartz.supabase.email is missing",
        hint: "results are sent in the name of a team member")
    }
    let password = secret(map, path + ["password"], required: true)
    guard let email, let password else { return nil }
    return .password(email: email, password: password)
  }

  /// The last part of the path is the key in the map.
  private mutating func secret(_ map: TypedMap, _ path: [String], required: Bool) -> Redacted? {
    let name = path[path.count - 1]
    let key = path.joined(separator: ".")
    guard let text = map.text(name) else {
      if required, !map.isInvalid([name]) {
        walk.problem(map.position, "\(key) is missing", hint: "such as \(name): ${file:/run/secrets/\(name)}")
      }
      return nil
    }
    // It is sent as a header value, or in a JSON text; neither has room for these.
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      walk.problem(map.position(of: [name]), "\(key) contains a line break or another control character")
      return nil
    }
    return Redacted(text)
  }

  private mutating func baseURL(_ map: TypedMap, _ path: [String], example: String) -> HTTPURL? {
    let key = path.joined(separator: ".")
    guard let text = map.text("url") else {
      if !map.isInvalid(["url"]) {
        walk.problem(map.position, "\(key) is missing", hint: "such as \(example)")
      }
      return nil
    }
    let position = map.position(of: ["url"])
    do throws(HTTPURL.Invalid) {
      let url = try HTTPURL(text)
      let isLoopback = url.host == "localhost" || IPAddress(url.host)?.isLoopback == true
      if url.scheme == .http, !isLoopback {
        walk.problem(position, "\(key) must begin with https://", hint: "the key would travel in clear")
      } else if url.query != nil || text.contains("#") {
        walk.problem(position, "\(key) must have no query and no fragment")
      } else {
        return url
      }
    } catch {
      walk.problem(position, "\(key) \(error.message)", hint: "such as \(example)")
    }
    return nil
  }
}
