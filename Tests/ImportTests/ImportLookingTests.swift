// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Whose configuration a file is, by its first words, and which program's files are known and not read.
@Suite struct ImportLookingTests {
  private func file(_ text: String, _ name: String = "f") -> ImportFile {
    ImportFile(name: name, bytes: Array(text.utf8))
  }

  @Test(
    arguments: [
      ("define host {\n}\n", .nagios), ("cfg_file=/a\n", .nagios), ("cfg_dir=/a\n", .nagios),
      ("# define host {\n", nil),
      ("  define service{\n", .nagios), ("defined host {\n", nil), ("object Foo \"a\" {\n", nil),
      ("apply User to b\n", .icinga2), ("template Zone \"a\" {\n", .icinga2), ("include <itl>\n", .icinga2),
      ("include \"a.conf\"\n", nil), ("include_recursive \"conf.d\"\n", .icinga2),
      ("[[inputs.ping]]\n", .telegraf),
      ("  [[inputs.ping]]\n", .telegraf), ("[inputs.ping]\n", nil), ("inputs = 1\n", nil),
      ("[agent]\ninterval = '1s'\n[[inputs.ping]]\n", .telegraf), ("*** Targets ***\n", .smokeping),
      ("*** Probes ***\n", .smokeping), ("Targets = a\n", nil), ("Probes = a\n", nil), ("sites:\n", .upptime),
      ("probe {\n", .cloudprober), ("probe: a\n", nil), ("probe: \r\n- name: a\n", .cloudprober),
      ("  probe:\n", nil), ("modules:\n", .blackbox),
      ("scrape_configs:\n", .blackbox),
      ("kind: Probe\n", .blackbox), ("kind: Service\n", nil),
      ("import {A} from 'checkly/constructs'\n", .checkly),
      ("import {A} from 'other'\n", nil), ("endpoints:\n", .gatus), ("services:\n", .gatus),
      ("external-endpoints:\n", .gatus), ("suites:\n", .gatus), ("services:\n- expected_status: 200\n", nil),
      ("x-usual: 1\n\n  endpoints: []\n", .gatus), ("", nil), ("# nothing\n", nil),
      ("{\"monitorList\": []}", .uptimeKuma),
      ("{\"modules\": {}}", .blackbox), ("{\"scrape_configs\": []}", .blackbox),
      ("{\"checks\": []}", .checkly),
      (" \n{\"checkType\": \"API\"}", .checkly), ("[]", .checkly), ("{\"a\": 1}", nil), ("{a", nil),
      ("SQLite format 3\0", .uptimeKuma), ("SQLite format 3", nil),
    ] as [(String, ImportFormat?)])
  func formats(text: String, format: ImportFormat?) { #expect(ImportFormat(looking: file(text)) == format) }

  @Test(arguments: [
    "Host", "Service", "HostGroup", "CheckCommand", "User", "Notification", "Dependency", "Zone", "Endpoint",
  ])
  func objectsOfIcinga(type: String) {
    for word in ["object", "apply", "template"] {
      #expect(ImportFormat(looking: file("\(word) \(type) \"a\" {\n")) == .icinga2)
    }
  }

  @Test(
    arguments: [
      ("services:\n- expected_status: 200\n", "Statping"),
      ("{\"expected_status\": 1, \"check_interval\": 2}", "Statping"),
      ("{\"expected_status\": 1}", nil), ("{\"check_interval\": 1}", nil), ("expected_status: 1\n", nil),
      ("{\"friendly_name\": \"a\", \"monitors\": []}", "UptimeRobot"), ("{\"friendly_name\": \"a\"}", nil),
      ("{\"monitors\": []}", nil), ("set daemon 30\n", "Monit"), ("# a\n  SET  Daemon 30\n", "Monit"),
      ("set mail x\n", nil),
      ("check daemon a\n", nil), ("check host a with address b\n", "Monit"), ("check process a\n", "Monit"),
      ("\ncheck system a\n", "Monit"), ("check file a\n", nil), ("host check\n", nil), ("", nil),
    ] as [(String, String?)])
  func programs(text: String, name: String?) { #expect(ForeignProgram.name(of: file(text)) == name) }

  private func problem(_ format: ImportFormat?, _ files: [ImportFile]) -> ImportProblem? {
    do throws(ImportProblem) {
      _ = try Importer.read(format, files)
      return nil
    } catch { return error }
  }

  @Test func whatIsNotRead() throws {
    let hint =
      "name the format: blackbox, gatus, uptime-kuma, nagios, cloudprober, checkly, icinga2, upptime, telegraf, smokeping"
    #expect(problem(nil, []) == ImportProblem("no file was given"))
    #expect(problem(nil, [file("x")]) == ImportProblem("f: unknown format", hint: hint))
    #expect(problem(nil, [file(" \n")]) == ImportProblem("f: is empty", hint: hint))
    let wide = ImportFile(name: "f", bytes: [0xff, 0xfe, 0x61, 0])
    #expect(problem(nil, [wide]) == ImportProblem("f: is in UTF-16: convert it to UTF-8", hint: hint))
    let deep = file("{\"a\":" + String(repeating: "[", count: 100_000))
    #expect(problem(nil, [deep])?.message.hasPrefix("f: unknown format, and no valid JSON: ") == true)
    #expect(problem(nil, [file("[a]\nb = 1\n")]) == ImportProblem("f: unknown format", hint: hint))
    #expect(
      problem(nil, [file("set daemon 30\n")])
        == ImportProblem("f: a configuration of Monit, which is not read here", hint: hint))
    // A later file may say what the first does not.
    let made = try Importer.read(nil, [file("x-a: 1\n"), file("endpoints: []\n", "g")])
    #expect(made.format == .gatus && made.total == 1)
    #expect(
      problem(.smokeping, [file("*** General ***\n")])?.message == "f: no section *** Targets *** is in it")
    #expect(
      problem(.smokeping, [file("*** General ***\n"), file("*** Alerts ***\n", "g")])?.message
        == "no section *** Targets *** is in it")
    #expect(
      problem(.gatus, [file("endpoints: []\n"), file("a: [", "g")])?.message.hasPrefix("g: line ") == true)
  }

  /// Letters of another encoding are named, once for each file.
  @Test func otherEncodings() throws {
    let text = "define host {\n host_name caf\u{e9}\n address 192.0.2.1\n}\n"
    let latin = ImportFile(name: "f", bytes: text.unicodeScalars.map { UInt8($0.value) })
    let why = "it is not in UTF-8, so U+FFFD is written for letters that are not ASCII: convert the file"
    let lines = try Importer.read(.nagios, [latin]).notes.map(\.line)
    #expect(lines.first == "changed: f: \(why)")
    #expect(try !Importer.read(.nagios, [file(text)]).notes.map(\.why).contains(why))
  }
}
