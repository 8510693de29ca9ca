package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.page;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A language that docs/receivers has complete receivers in, one of captures and one of pages, and
 * their verification in docs/receiving.md.
 */
enum ShownReceiver {
  JAVA(
      java(),
      "Receiver.java",
      "Pages.java",
      "static boolean verifies",
      2,
      "header != null && verifies(SECRET, header, body)",
      "verifies(SECRET, request.getRequestHeaders(), body)"),
  NODE(
      "node",
      "receiver.mjs",
      "pages.mjs",
      "function verifies",
      0,
      "request.headers[\"x-service-signature\"] ?? \"\"",
      "request.headers"),
  PYTHON(
      "python3",
      "receiver.py",
      "pages.py",
      "def verifies",
      0,
      "self.headers.get(\"x-service-signature\", \"\")",
      "self.headers"),
  GO(
      "go",
      "receiver.go",
      "pages.go",
      "func verifies",
      0,
      "request.Header.Get(\"x-service-signature\")",
      "request.Header");

  private final String interpreter;
  private final String file;
  private final String pagesFile;
  private final String verification;
  private final int indent;
  private final String ofSignature;
  private final String ofHeaders;

  ShownReceiver(
      String interpreter,
      String file,
      String pagesFile,
      String verification,
      int indent,
      String ofSignature,
      String ofHeaders) {
    this.interpreter = interpreter;
    this.file = file;
    this.pagesFile = pagesFile;
    this.verification = verification;
    this.indent = indent;
    this.ofSignature = ofSignature;
    this.ofHeaders = ofHeaders;
  }

  String receiver() throws IOException {
    return page("docs/receivers/" + file);
  }

  /** The receiver with another verification, which gets all headers. */
  String receiverOfHeaders(String otherVerification) throws IOException {
    assertThat(receiver()).contains(shownVerification(), ofSignature);
    return receiver()
        .replace(shownVerification(), otherVerification + "\n")
        .replace(ofSignature, ofHeaders);
  }

  String shownVerification() throws IOException {
    return block(page("docs/receiving.md"), verification).indent(indent);
  }

  String pageReceiver() throws IOException {
    return page("docs/receivers/" + pagesFile);
  }

  String file() {
    return file;
  }

  String interpreter() {
    return interpreter;
  }

  boolean isHere() throws InterruptedException {
    return Snippets.works(interpreter, this == GO ? "version" : "--version");
  }

  CommandLine start(String secret) throws IOException, InterruptedException {
    String program = Path.of("..", "..", "docs", "receivers", file).toString();
    List<String> command =
        this == GO ? List.of(built(program), "0") : List.of(interpreter, program, "0");
    return CommandLine.start(Map.of("SIGNING_SECRET", secret), command);
  }

  /** How to run the receiver of pages, but for its port. */
  String pagesCommand() throws IOException, InterruptedException {
    String program =
        Path.of("..", "..", "docs", "receivers", pagesFile).toAbsolutePath().normalize().toString();
    return this == GO ? "'" + built(program) + "'" : "'" + interpreter + "' '" + program + "'";
  }

  /** Starts {@code program}, which is the receiver changed, beside the packages that it needs. */
  CommandLine start(Path place, String program, Map<String, String> environment, String secret)
      throws IOException {
    Path written = Files.writeString(place.resolve(file), program);
    Map<String, String> all = new HashMap<>(environment);
    all.put("SIGNING_SECRET", secret);
    String line = "exec '" + interpreter + "' '" + written + "' 0";
    return CommandLine.start(all, List.of("sh", "-c", line));
  }

  /** What posts to a receiver that was started. */
  static RawPost post(CommandLine receiver) {
    return new RawPost(
        Integer.parseInt(receiver.awaitOutput("listening on http://127.0.0.1:(\\d+)\\b")));
  }

  /** {@code go run} would leave its child behind. */
  private String built(String program) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("egress-receiver");
    String source = Path.of(program).toAbsolutePath().toString();
    Snippets.run(folder, Map.of(), interpreter, "build", "-o", "receiver", source);
    return folder.resolve("receiver").toString();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
