// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Makes checks of what `discover` names: of files, and of what a running agent has learned over HTTP and DNS and keeps
/// in its state directory, which is looked at like any file of the configuration.
struct Discovery {
  let sources: ConfigSources
  struct Reading {
    var sources: [DiscoverySource] = []
    var files: [String] = []
    var patterns: [String] = []
    /// An example of each source, and one for each list of targets.
    var reuse: [ReuseFile] = []
    /// The targets of each source that is files.
    var lists: [ConfigList] = []
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
    let folder = normalised(
      walk.references.absolute(root["agent"]?.map?["state_dir"]?.text ?? AgentSettings().stateDir))
    var places: [Position] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      let definition = DiscoveryDefinition(map, &walk.reader)
      let references = walk.references
      do throws(InvalidAlerts) {
        let source = try DiscoverySource(definition) { normalised(references.absolute($0)) }
        reading.sources.append(source)
        places.append(item.position)
        reading.reuse.append(ReuseFile(exampleOf: source, map))
      } catch {
        for problem in error.problems where !map.isInvalid(problem.path) {
          walk.problem(map.position(of: problem.path), problem.message, hint: problem.hint)
        }
      }
    }
    let lists = lists(of: reading.sources, in: folder)
    for (source, position) in zip(reading.sources, places) {
      let learned = source.cacheName.map { own in
        (path: "\(folder)/\(own)", list: lists[own].map { "\(folder)/\($0)" })
      }
      add(source, at: position, learned, to: &reading, &walk)
    }
    return reading
  }

  /// The learned lists, by the names of the sources' own ones.
  private func lists(
    of sources: [DiscoverySource], in folder: String
  ) -> [String: String] {  // own text: names of files
    let path = "\(folder)/\(DiscoveryIndex.name)"
    let files = self.sources.files
    let isLearned = sources.contains { $0.cacheName != nil }
    let bytes = isLearned && files.isThere(path) ? try? files.read(path) : nil
    return DiscoveryIndex(json: bytes ?? []).lists(of: sources) { files.isThere("\(folder)/\($0)") }
  }

  /// - Parameter learned: where the source's own list is or will be, and the one that it has. `nil` for files.
  private func add(
    _ source: DiscoverySource, at position: Position, _ learned: (path: String, list: String?)?,
    to reading: inout Reading, _ walk: inout Walk
  ) {
    var files: [String] = []
    switch (source.place, learned) {
    case (.files(let pattern), _):
      guard !ConfigFiles.refusesDepth(pattern, of: "discover", at: position, &walk) else { return }
      reading.patterns.append(pattern)
      files = sources.files.expand(pattern)
      if files.isEmpty {
        walk.warn(
          position, "discover: no file matches \(quoted(pattern))",
          hint: "check the path; a file that comes later is read then")
      }
      guard files.count <= Includes.limit else {
        walk.problem(position, "discover names more than \(Includes.limit) files")
        return
      }
    case (_, let learned?):
      reading.patterns.append(learned.path)
      // Nothing is known before the first answer of a new item.
      files = learned.list.map { [$0] } ?? []
    default: return
    }
    var names: Set<ByteText> = []
    for file in files {
      reading.files.append(file)
      guard let list = list(file, at: position, &walk) else { continue }
      names.formUnion(list.targets.map { ByteText($0.address) })
      guard names.count <= DiscoverySource.mostTargets else {
        walk.problem(
          position,
          "discover: \(source.label) has more than \(DiscoverySource.mostTargets) targets in all its files")
        return
      }
      walk.targetsLeftOut += list.leftOut
      for words in list.omissions {
        let hint = words.hasSuffix("left out") ? nil : "it is left out"
        walk.warn(position, "\(file): \(words)", hint: hint)
      }
      guard !list.targets.isEmpty else { continue }
      let origin = source.cacheName == nil ? file : source.label
      reading.reuse.append(ReuseFile(list, of: source, from: origin, at: position))
    }
    if case .files(let pattern) = source.place {
      reading.lists.append(ConfigList(pattern: pattern, what: "targets", names: names))
    }
  }

  /// `nil` where it cannot be read, which is reported already.
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
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw TargetList.Problem(message: "is no valid UTF-8")
      }
      guard let node = tree(text, file, &walk) else { return nil }
      return try TargetList(yaml: node)
    } catch {
      walk.problem(position, "discover: \(file) \(error.message)")
      return nil
    }
  }

  private func tree(_ text: String, _ file: String, _ walk: inout Walk) -> YAMLNode? {
    do throws(ConfigErrors) {
      let tree = try ConfigText.tree(
        text, file: file, source: walk.source, start: "write [] for a list without targets")
      walk.add(tree)
      return tree.problems.isEmpty ? tree.node : nil
    } catch {
      walk.add(error.problems)
      return nil
    }
  }
}

extension ReuseFile {
  /// Labels that become tags; a check may have twice as many.
  private static let labels = 16

  /// A check for each of the targets, to be completed by the templates.
  ///
  /// - Parameter origin: where the list is from, in words.
  fileprivate init(_ list: TargetList, of source: DiscoverySource, from origin: String, at position: Position)
  {
    // What is wrong with a template is said once, and not of each of ten thousand.
    var place = position
    place.layer = .template
    let checks = list.targets.map { target in
      let tags = target.labels.prefix(Self.labels).map { "\($0.name):\($0.value)" }.filter {
        $0.utf8.count <= CheckLimits.tagBytes
      }
      return YAMLNode(check: source, extends: place, tags: tags, at: place)
    }
    self.init(YAMLNode(map: [("checks", .list(checks))], at: place), isMain: false)
    name(
      list.targets.map {
        HostWords($0, found: FoundTarget(address: $0.address, source: origin, position: position))
      })
  }

  /// Reports errors of the templates that every target has, before the first target comes.
  fileprivate init(exampleOf source: DiscoverySource, _ map: GivenMap) {
    let check = YAMLNode(check: source, extends: map.position(of: ["extends"]), tags: [], at: map.position)
    self.init(YAMLNode(map: [("checks", .list([check]))], at: map.position), isMain: false)
    name([.example])
  }
}

extension YAMLNode {
  fileprivate init(map: [(key: String, content: Content)], at place: Position) {
    self.init(
      content: .map(
        map.map {
          Entry(key: $0.key, position: place, value: YAMLNode(content: $0.content, position: place))
        }), position: place)
  }

  /// A check of the source, to be completed by its templates.
  fileprivate init(check source: DiscoverySource, extends: Position, tags: [String], at place: Position) {
    func texts(_ texts: [String], _ place: Position) -> Content {
      .list(texts.map { YAMLNode(content: .scalar($0, isPlain: false), position: place) })
    }
    self.init(
      map: [
        ("name", .scalar(source.name, isPlain: false)), ("extends", texts(source.templates, extends)),
        ("tags", texts(tags, place)),
      ], at: place)
  }
}
