// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Makes checks of what `discover` names: of files, and of what a running agent has learned over HTTP and DNS and keeps
/// in its state directory, which is looked at like any file of the configuration.
struct Discovery {
  let sources: ConfigSources
  /// Names of templates.
  let templates: Set<ByteText>

  init(_ sources: ConfigSources, templates: [YAMLNode.Entry]) {
    self.sources = sources
    self.templates = Set(templates.map { ByteText($0.key) })
  }

  struct Reading {
    var sources: [DiscoverySource] = []
    var files: [String] = []
    var patterns: [String] = []
    /// One for each source that has targets.
    var reuse: [ReuseFile] = []
  }

  func read(_ root: GivenMap, _ walk: inout Walk) -> Reading {
    var reading = Reading()
    let list = root["discover"]?.list ?? []
    guard list.count <= DiscoverySource.limit else {
      walk.problem(
        root.position(of: ["discover"]),
        "discover may list at most \(DiscoverySource.limit) sources, found \(list.count)")
      return reading
    }
    let folder = walk.references.absolute(root["agent"]?.map?["state_dir"]?.text ?? AgentSettings().stateDir)
    for item in list {
      guard case .map(let map) = item.value else { continue }
      let definition = DiscoveryDefinition(map, &walk.reader)
      let references = walk.references
      do throws(InvalidAlerts) {
        let source = try DiscoverySource(definition) { normalised(references.absolute($0)) }
        // Told now, and not when the first target comes.
        if let unknown = source.templates.first(where: { !templates.contains(ByteText($0)) }) {
          let near = nearest(to: unknown, among: templates.map(\.text).sorted()).map {
            "did you mean \"\($0)\"?"
          }
          walk.problem(
            map.position(of: ["extends"]), "extends names \(quoted(unknown)), which is no template",
            hint: near ?? "see templates")
          continue
        }
        reading.sources.append(source)
        add(source, at: item.position, normalised(folder), to: &reading, &walk)
      } catch {
        for problem in error.problems where !map.isInvalid(problem.path) {
          walk.problem(map.position(of: problem.path), problem.message, hint: problem.hint)
        }
      }
    }
    return reading
  }

  private func add(
    _ source: DiscoverySource, at position: Position, _ folder: String, to reading: inout Reading,
    _ walk: inout Walk
  ) {
    var files: [String] = []
    switch (source.place, source.cacheName) {
    case (.files(let pattern), _):
      reading.patterns.append(pattern)
      files = sources.files.expand(pattern)
      guard files.count <= Includes.limit else {
        walk.problem(position, "discover names more than \(Includes.limit) files")
        return
      }
    case (_, let name?):
      // Nothing is known before the first answer.
      let path = "\(folder)/\(name)"
      reading.patterns.append(path)
      files = sources.files.isThere(path) ? [path] : []
    default: return
    }
    for file in files {
      reading.files.append(file)
      guard let list = list(file, at: position, &walk) else { continue }
      for words in list.skipped { walk.warn(position, "\(file): \(words)", hint: "it is left out") }
      if list.skippedCount > list.skipped.count {
        walk.warn(position, "\(file): \(list.skippedCount) targets and labels are left out")
      }
      if !list.targets.isEmpty { reading.reuse.append(ReuseFile(list, of: source, at: position)) }
    }
  }

  /// Nil: it cannot be read, which was told.
  private func list(_ file: String, at position: Position, _ walk: inout Walk) -> TargetList? {
    let bytes: [UInt8]
    do throws(ConfigErrors) {
      bytes = try sources.files.read(file)
    } catch {
      for problem in error.problems { walk.problem(position, "discover: \(file): \(problem.message)") }
      return nil
    }
    guard bytes.count <= DiscoverySource.mostBytes else {
      walk.problem(position, "discover: \(file) has more than \(DiscoverySource.mostBytes >> 20) MiB")
      return nil
    }
    do throws(TargetList.Problem) {
      guard file.hasSuffix(".yml") || file.hasSuffix(".yaml") else { return try TargetList(json: bytes) }
      walk.begin(file)
      var reader = YAMLReader(file: file, source: walk.source)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw TargetList.Problem(message: "is no valid UTF-8")
      }
      guard let node = reader.read(text) else {
        walk.add(reader.errors.problems)
        return nil
      }
      return try TargetList(yaml: node)
    } catch {
      walk.problem(position, "discover: \(file) \(error.message)")
      return nil
    }
  }
}

extension ReuseFile {
  /// Labels that become tags; a check may have twice as many.
  private static let labels = 16

  /// A check for each of the targets, to be completed by the templates.
  fileprivate init(_ list: TargetList, of source: DiscoverySource, at position: Position) {
    // What is wrong with a template is said once, and not of each of ten thousand.
    var place = position
    place.layer = .template
    func node(_ content: YAMLNode.Content) -> YAMLNode { YAMLNode(content: content, position: place) }
    func entry(_ key: String, _ content: YAMLNode.Content) -> YAMLNode.Entry {
      YAMLNode.Entry(key: key, position: place, value: node(content))
    }
    let templates = source.templates.map { node(.scalar($0, isPlain: false)) }
    let checks = list.targets.map { target in
      let tags = target.labels.prefix(Self.labels).map { "\($0.name):\($0.value)" }.filter {
        $0.utf8.count <= CheckLimits.tagBytes
      }
      return node(
        .map([
          entry("name", .scalar(source.name, isPlain: false)), entry("extends", .list(templates)),
          entry("tags", .list(tags.map { node(.scalar($0, isPlain: false)) })),
        ]))
    }
    self.init(node(.map([entry("checks", .list(checks))])), isMain: false)
    name(list.targets.map(HostWords.init))
  }
}
