package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.page;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A complete receiver in docs/receivers, and its verification in the README. */
enum ShownReceiver {
  JAVA(java(), "Receiver.java", "static boolean verifies", 2),
  NODE("node", "receiver.mjs", "function verifies", 0),
  PYTHON("python3", "receiver.py", "def verifies", 0);

  private final String interpreter;
  private final String file;
  private final String verification;
  private final int indent;

  ShownReceiver(String interpreter, String file, String verification, int indent) {
    this.interpreter = interpreter;
    this.file = file;
    this.verification = verification;
    this.indent = indent;
  }

  String receiver() throws IOException {
    return page("docs/receivers/" + file);
  }

  String verificationInReadme() throws IOException {
    return block(page("README.md"), verification).indent(indent);
  }

  String file() {
    return file;
  }

  String interpreter() {
    return interpreter;
  }

  CommandLine start(String secret) throws IOException {
    String program = Path.of("..", "docs", "receivers", file).toString();
    return CommandLine.start(Map.of("SIGNING_SECRET", secret), List.of(interpreter, program, "0"));
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
