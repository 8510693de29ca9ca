package io.egress.standalone;

import static io.egress.standalone.Snippets.block;
import static io.egress.standalone.Snippets.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A complete receiver in docs/receiving.md, and its verification in the README. */
enum ShownReceiver {
  JAVA(java(), "Receiver.java", "import static java", "static boolean verifies", 2),
  NODE("node", "receiver.mjs", "import { createHmac", "function verifies", 0),
  PYTHON("python3", "receiver.py", "import hmac", "def verifies", 0);

  private final String interpreter;
  private final String file;
  private final String begin;
  private final String verification;
  private final int indent;

  ShownReceiver(String interpreter, String file, String begin, String verification, int indent) {
    this.interpreter = interpreter;
    this.file = file;
    this.begin = begin;
    this.verification = verification;
    this.indent = indent;
  }

  String receiver() throws IOException {
    return block(page("docs/receiving.md"), begin);
  }

  String verificationInReadme() throws IOException {
    return block(page("README.md"), verification).indent(indent);
  }

  String interpreter() {
    return interpreter;
  }

  CommandLine start(Path folder, String secret) throws IOException {
    Path program = Files.writeString(folder.resolve(file), receiver());
    return CommandLine.start(
        Map.of("SIGNING_SECRET", secret), List.of(interpreter, program.toString(), "0"));
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
