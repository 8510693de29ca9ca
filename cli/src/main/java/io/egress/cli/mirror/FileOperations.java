package io.egress.cli.mirror;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** Every change that a mirror makes to files. Tests stop it between any two. */
interface FileOperations {
  FileOperations REAL = new DurableFiles();

  /** The parent must exist. */
  void createFolder(Path folder) throws IOException;

  /** Returns after the content is on disk. */
  void write(Path file, byte[] content, Instant modified) throws IOException;

  /** Replaces {@code to} atomically. */
  void move(Path from, Path to) throws IOException;

  void delete(Path file) throws IOException;

  /** Returns false if it is not empty. */
  boolean deleteFolder(Path folder) throws IOException;

  /** Returns after the names in {@code folder} are on disk. */
  void force(Path folder) throws IOException;
}
