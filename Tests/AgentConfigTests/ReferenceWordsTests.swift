// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import YAML

@testable import AgentConfig

/// What stands behind a dollar sign: references to secrets, and words of a host or target.
struct ReferenceWordsTests {
  private func references(base: String = ".") -> References {
    References(
      environment: ConfigSources.test.environment, files: ConfigSources.test.secrets, base: base)
  }

  /// A file is a value's source only where it is the whole of it.
  @Test(arguments: [
    ("${file:key}", "hunter2", "key"), ("x${file:key}", "xhunter2", nil), ("${file:key}x", "hunter2x", nil),
    ("${file:key}${env:REGION}", "hunter2eu-west", nil), ("${env:REGION}${file:key}", "eu-westhunter2", nil),
    ("${file:/secrets/key}", "hunter2", "/secrets/key"), ("${cred:key}", "hunter2", "/creds/key"),
    ("${file:key}${file:key}", "hunter2hunter2", nil),
  ])
  func aSecretHasASource(text: String, value: String, file: String?) throws {
    let resolved = try references().resolve(text)
    #expect(resolved.text == value && resolved.sourceFile == file)
    #expect(resolved.isSecret && resolved.hasReference && resolved.warnings.isEmpty)
    #expect(resolved.usesEnvironment == text.contains("env:"))
  }

  @Test(arguments: [
    ("plain", "plain"), ("$", "$"), ("a$b", "a$b"), ("$${env:REGION}", "${env:REGION}"), ("$$", "$$"),
    ("$$${", "$${"), ("a}$", "a}$"), ("", ""),
  ])
  func whatIsNoReference(text: String, value: String) throws {
    let resolved = try references().resolve(text)
    #expect(resolved.text == value && !resolved.hasReference && !resolved.isSecret)
    #expect(!resolved.usesEnvironment && resolved.sourceFile == nil)
  }

  /// The environment is shown, and several may be put together.
  @Test func severalInOne() throws {
    let resolved = try references().resolve("a${env:REGION}-${env:PORT}b")
    #expect(resolved.text == "aeu-west-8443b" && !resolved.isSecret && resolved.usesEnvironment)
    #expect(try references().resolve("${env:EMPTY}").text == "")
    let warned = try references().resolve("${file:/secrets/open}")
    #expect(
      warned.warnings == [
        SecretFiles.Note(
          "\"/secrets/open\" can be read by all users of this machine (mode 0644)",
          hint: "chmod o-r /secrets/open")
      ])
  }

  /// Whole texts of what is wrong; nothing that stands in the braces is repeated but a name.
  @Test(arguments: [
    ("${env:NONE}", "needs the environment variable \"NONE\", which is not set", nil),
    ("a${env:REGION", "has a ${ without its }", "write $${ for a literal ${"),
    ("${host}", "has a ${host}, but the check has no hosts", "give it hosts: [a.example, b.example]"),
    (
      "${file:/secrets/writable}",
      "needs the file \"/secrets/writable\", which can be written by others (mode 0660)",
      "chmod go-w /secrets/writable"
    ),
    ("${file:none}", "needs the file \"none\", which does not exist", nil),
    ("${cred:a/b}", "has the credential name \"a/b\", which is no plain name", nil),
    ("${cred:.}", "has the credential name \".\", which is no plain name", nil),
    ("${cred:..}", "has the credential name \"..\", which is no plain name", nil),
  ])
  func whatIsWrong(text: String, message: String, hint: String?) throws {
    let note = try #require(throws: SecretFiles.Note.self) { try references().resolve(text) }
    #expect(note.message == message && note.hint == hint && note.credential == nil)
  }

  @Test(arguments: [
    "${}", "${env}", "${env:}", "${file:}", "${cred:}", "${host:}", "${host:a}", "${ENV:A}", "${pass}",
    "${:a}",
  ])
  func unknownReferences(text: String) throws {
    let note = try #require(throws: SecretFiles.Note.self) { try references().resolve(text) }
    #expect(note.message == "has an unknown reference behind ${")
    #expect(note.hint == "${env:NAME}, ${file:path} or ${cred:NAME}; write $${ for a literal ${")
  }

  @Test func pathsAreThoseOfTheFile() {
    #expect(references().absolute("a/b") == "a/b" && references().absolute("/a") == "/a")
    #expect(references(base: "etc").absolute("a/b") == "etc/a/b")
    #expect(references(base: "etc").absolute("/a") == "/a")
  }

  private func replaced(
    _ text: String, _ words: HostWords, isPlain: Bool = false
  ) -> (text: String, isPlain: Bool, lacks: [String]) {
    var words = words
    let node = YAMLNode(
      content: .scalar(text, isPlain: isPlain), position: Position(line: 1, column: 1))
    guard case .scalar(let made, let plain) = node.replacing(&words).content else { return ("", false, []) }
    return (made, plain, words.lacks.map(\.text).sorted())
  }

  private let target = HostWords(
    TargetList.Target(
      address: "a.example:80", host: "a.example", port: 80,
      labels: [.init(name: "city", value: "Bern"), .init(name: "n", value: "7")]), found: nil)

  /// Each word of a target, and what is none.
  @Test(arguments: [
    ("${host}", "a.example"), ("${target}", "a.example:80"), ("x${port}y", "x80y"),
    ("${label:city}/${host}", "Bern/a.example"), ("$${host}", "$${host}"), ("$host", "$host"),
    ("${host", "${host"), ("${env:A}", "${env:A}"), ("${file:${host}}", "${file:a.example}"),
    ("${Host}", "${Host}"), ("plain", "plain"), ("$", "$"), ("${label}", "${label}"),
  ])
  func wordsOfATarget(text: String, made: String) {
    let result = replaced(text, target)
    #expect(result.text == made && !result.isPlain && result.lacks.isEmpty)
  }

  /// What a target does not have is nothing, and is noted; a host of a list has its name alone.
  @Test func whatIsLacking() {
    let some = replaced("a${label:none}b${label:city}", target)
    #expect(some.text == "abBern" && some.lacks == ["label:none"])
    let bare = HostWords(TargetList.Target(address: "a", host: "a"), found: nil)
    #expect(replaced("${port}", bare).lacks == ["port"] && replaced("${target}", bare).text == "a")
    let listed = HostWords(host: "b")
    for word in ["${target}", "${port}", "${label:city}"] { #expect(replaced(word, listed).text == word) }
    #expect(replaced("${host}${target}", listed).text == "b${target}")
  }

  /// A number that comes of a word is one also in quotes.
  @Test func numbersOfWords() {
    #expect(replaced("${port}", target).isPlain && replaced("${label:n}", target).isPlain)
    #expect(!replaced("80", target).isPlain && !replaced("p${port}", target).isPlain)
    #expect(replaced("p${port}", target, isPlain: true).isPlain)
  }

  /// Names of checks that are completed later keep their words, and nothing else.
  @Test(arguments: [
    ("a ${host}", "a $${host}"), ("${target}", "$${target}"), ("${port}", "$${port}"),
    ("${label:x}", "$${label:x}"), ("${env:A}", "${env:A}"), ("$${host}", "$${host}"),
  ])
  func wordsThatAreKept(text: String, made: String) { #expect(replaced(text, .kept).text == made) }
}
