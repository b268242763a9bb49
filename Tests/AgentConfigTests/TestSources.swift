// SPDX-License-Identifier: MIT

import AgentConfig

extension ConfigSources {
  /// A world without disk: a few variables and secret files, some of them broken.
  static let test = ConfigSources(
    environment: [
      "REGION": "eu-west", "PORT": "8443", "EMPTY": "", "TOKEN": "hunter2", "CREDENTIALS_DIRECTORY": "/creds",
      "WORD": "twelve",
    ],
    secrets: SecretFiles(
      read: { path throws(SecretFiles.Note) in
        switch path {
        case "key", "/secrets/key", "/creds/key": return SecretFiles.Contents(text: "hunter2")
        case "/secrets/lines": return SecretFiles.Contents(text: "hunter2\nhunter2")
        case "/secrets/open":
          return SecretFiles.Contents(
            text: "hunter2",
            warnings: [
              SecretFiles.Note(
                "can be read by all users of this machine (mode 0644)", hint: "chmod o-r /secrets/open")
            ])
        case "/secrets/writable":
          throw SecretFiles.Note("can be written by others (mode 0660)", hint: "chmod go-w /secrets/writable")
        case "/secrets/empty": throw SecretFiles.Note("is empty")
        default: throw SecretFiles.Note("does not exist")
        }
      },
      readBody: { path throws(SecretFiles.Note) in
        guard path == "body.json" else { throw SecretFiles.Note("does not exist") }
        return "{}"
      }), hostName: "test-host")
}
