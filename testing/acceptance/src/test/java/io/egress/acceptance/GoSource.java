package io.egress.acceptance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The source of a Go module, kept in the build folder until that is cleaned. */
final class GoSource implements AutoCloseable {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().followRedirects(Redirect.NORMAL).build();

  private final String root;
  private final ZipFile files;

  private GoSource(String root, ZipFile files) {
    this.root = root;
    this.files = files;
  }

  /** Skips the test if packages may not be installed, or the Go proxy does not have the module. */
  static GoSource of(String module, String version) throws IOException, InterruptedException {
    Snippets.assumePackagesMayBeInstalled();
    Path folder = Files.createDirectories(Path.of("target", "go"));
    Path zip = folder.resolve(module.replace('/', '_') + "@" + version + ".zip");
    if (!Files.exists(zip)) {
      URI uri = URI.create("https://proxy.golang.org/" + module + "/@v/" + version + ".zip");
      HttpResponse<Path> response =
          HTTP.send(
              HttpRequest.newBuilder(uri).build(),
              BodyHandlers.ofFile(Files.createTempFile(folder, "module", ".zip")));
      assumeTrue(response.statusCode() == 200, () -> uri + ": " + response.statusCode());
      Files.move(response.body(), zip);
    }
    return new GoSource(module + "@" + version + "/", new ZipFile(zip.toFile()));
  }

  String text(String path) throws IOException {
    ZipEntry entry = files.getEntry(root + path);
    if (entry == null) {
      throw new IOException("no " + root + path + " in " + files.getName());
    }
    return new String(files.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
