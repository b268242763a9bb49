// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// An open file of the store. The value is the file system's business.
package struct SpoolFile: Hashable, Sendable {
  package var handle: Int32
  package init(handle: Int32) { self.handle = handle }
}

/// Why the disk could not do what was asked.
package enum FileFault: Error, Hashable, Sendable {
  /// `code` is an errno value.
  case failed(operation: String, name: String, code: Int32)
  /// The directory is not safe to use, or not fit for a durable store; the text says why.
  case refused(String)
  /// Another process holds the directory.
  case locked(String)
}

/// The few operations the store needs of a disk, all within one directory that this object holds locked.
///
/// Everything blocks; everything is called from the store's own threads. Names are plain file names. The production
/// implementation is `PosixFileSystem`; tests use one in memory that can fail and crash at every operation.
package protocol SpoolFileSystem: Sendable {
  /// The files of the directory with their sizes in bytes.
  func list() throws(FileFault) -> [String: Int]
  /// Opens an existing file, or with `create` makes it.
  func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile
  func close(_ file: SpoolFile)
  /// At most `count` bytes; fewer at the end of the file.
  func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8]
  func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault)
  /// The file's data, and its size when that changed, are on the medium when this returns.
  func sync(_ file: SpoolFile) throws(FileFault)
  /// Makes the file exactly `size` bytes of zeros with the space behind them reserved.
  func reserve(_ file: SpoolFile, size: Int) throws(FileFault)
  func rename(_ name: String, to target: String) throws(FileFault)
  func remove(_ name: String) throws(FileFault)
  /// Renames, creations and removals so far are on the medium when this returns.
  func syncDirectory() throws(FileFault)
  /// Notes for the operator about this disk; empty where there is none.
  var notes: [Notice] { get }
  /// Gives the lock up. Nothing is written through this object any more.
  func release()
  /// The directory as it is now: this object if it still is the one at its path, a newly opened one otherwise.
  func reattached() throws(FileFault) -> any SpoolFileSystem
  /// Whether a file must not be read because the agent died over it.
  func isPoison(_ name: String) -> Bool
  /// Called before the content of a file is read and believed.
  func begins(_ name: String)
  /// It was read, and its reader lives.
  func ended(_ name: String)
}

extension SpoolFileSystem {
  package func isPoison(_ name: String) -> Bool { false }
  package func begins(_ name: String) {}
  package func ended(_ name: String) {}
}

/// A file system round another one: what it does not say itself, the other does.
package protocol WrappingFileSystem: SpoolFileSystem {
  var base: any SpoolFileSystem { get }
}

extension WrappingFileSystem {
  package var notes: [Notice] { base.notes }
  package func list() throws(FileFault) -> [String: Int] { try base.list() }
  package func open(_ name: String, create: Bool) throws(FileFault) -> SpoolFile {
    try base.open(name, create: create)
  }
  package func close(_ file: SpoolFile) { base.close(file) }
  package func read(_ file: SpoolFile, at offset: Int, count: Int) throws(FileFault) -> [UInt8] {
    try base.read(file, at: offset, count: count)
  }
  package func write(_ file: SpoolFile, at offset: Int, _ bytes: [UInt8]) throws(FileFault) {
    try base.write(file, at: offset, bytes)
  }
  package func sync(_ file: SpoolFile) throws(FileFault) { try base.sync(file) }
  package func reserve(_ file: SpoolFile, size: Int) throws(FileFault) {
    try base.reserve(file, size: size)
  }
  package func rename(_ name: String, to target: String) throws(FileFault) {
    try base.rename(name, to: target)
  }
  package func remove(_ name: String) throws(FileFault) { try base.remove(name) }
  package func syncDirectory() throws(FileFault) { try base.syncDirectory() }
  package func release() { base.release() }
  package func isPoison(_ name: String) -> Bool { base.isPoison(name) }
  package func begins(_ name: String) { base.begins(name) }
  package func ended(_ name: String) { base.ended(name) }
}
