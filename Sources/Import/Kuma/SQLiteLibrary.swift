// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// The functions of the machine's own libsqlite3, which is looked for when there is a database to read: the agent neither
/// links it (1.5 MB) nor depends on its package.
struct SQLiteLibrary {
  typealias Handle = OpaquePointer
  typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>, Int32, UnsafePointer<CChar>?
    ) -> Int32
  typealias Deserialize =
    @convention(c) (
      Handle?, UnsafePointer<CChar>, UnsafeMutablePointer<UInt8>, Int64, Int64, UInt32
    ) -> Int32
  typealias Prepare =
    @convention(c) (
      Handle?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Handle?>,
      UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  typealias OneNumber = @convention(c) (Handle?) -> Int32
  typealias TwoNumber = @convention(c) (Handle?, Int32) -> Int32
  typealias Bytes = @convention(c) (Handle?, Int32) -> UnsafePointer<UInt8>?
  typealias Name = @convention(c) (Handle?, Int32) -> UnsafePointer<CChar>?
  typealias Limit = @convention(c) (Handle?, Int32, Int32) -> Int32
  /// Variadic in C: these are the arguments that each option used here has.
  typealias Configure = @convention(c) (Handle?, Int32, Int32, UnsafeMutablePointer<Int32>?) -> Int32
  typealias Watch = @convention(c) (UnsafeMutableRawPointer?) -> Int32
  typealias SetWatch = @convention(c) (Handle?, Int32, Watch?, UnsafeMutableRawPointer?) -> Void

  let open: Open
  let close: OneNumber
  let deserialize: Deserialize
  let configure: Configure
  let limit: Limit
  let setWatch: SetWatch
  let prepare: Prepare
  let step: OneNumber
  let finalize: OneNumber
  let columns: OneNumber
  let type: TwoNumber
  let text: Bytes
  let size: TwoNumber
  let name: Name

  /// - Throws: that there is none, or one without these functions.
  init() throws(ImportProblem) {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) else {
      throw ImportProblem(
        "reading a database needs the library libsqlite3, which is not here",
        hint: "install libsqlite3-0, or import a backup in JSON")
    }
    func function<Function>(_ name: String, as type: Function.Type) throws(ImportProblem) -> Function {
      guard let address = dlsym(library, "sqlite3_\(name)") else {
        throw ImportProblem(
          "the library libsqlite3 here has no function sqlite3_\(name)",
          hint: "install libsqlite3-0 3.36 or later, or import a backup in JSON")
      }
      return unsafeBitCast(address, to: type)
    }
    open = try function("open_v2", as: Open.self)
    close = try function("close", as: OneNumber.self)
    deserialize = try function("deserialize", as: Deserialize.self)
    configure = try function("db_config", as: Configure.self)
    limit = try function("limit", as: Limit.self)
    setWatch = try function("progress_handler", as: SetWatch.self)
    prepare = try function("prepare_v2", as: Prepare.self)
    step = try function("step", as: OneNumber.self)
    finalize = try function("finalize", as: OneNumber.self)
    columns = try function("column_count", as: OneNumber.self)
    type = try function("column_type", as: TwoNumber.self)
    text = try function("column_text", as: Bytes.self)
    size = try function("column_bytes", as: TwoNumber.self)
    name = try function("column_name", as: Name.self)
  }
}
