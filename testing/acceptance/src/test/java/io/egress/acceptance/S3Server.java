package io.egress.acceptance;

import static org.awaitility.Awaitility.await;

import io.egress.embedded.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A server with the protocol of S3, with conditional writes, versions and locks. */
final class S3Server implements AutoCloseable {
  /** Servers that can be installed, by name. */
  enum Maker {
    MOTO {
      @Override
      List<String> command(Path folder, int port) throws IOException, InterruptedException {
        PythonPackages packages = PythonPackages.install("moto", "moto[s3,server]==5.2.5");
        return List.of(
            packages.environment().resolve("bin/moto_server").toString(),
            "-H",
            "127.0.0.1",
            "-p",
            Integer.toString(port));
      }
    },
    VERSITYGW {
      @Override
      List<String> command(Path folder, int port) throws IOException, InterruptedException {
        Path program = GoProgram.install("github.com/versity/versitygw/cmd/versitygw", "v1.8.0");
        return List.of(
            program.toString(),
            "--access",
            ACCESS_KEY,
            "--secret",
            SECRET,
            "--port",
            "127.0.0.1:" + port,
            "posix",
            "--versioning-dir",
            Files.createDirectory(folder.resolve("versions")).toString(),
            Files.createDirectory(folder.resolve("buckets")).toString());
      }
    };

    abstract List<String> command(Path folder, int port) throws IOException, InterruptedException;
  }

  static final String ACCESS_KEY = "mirror";
  static final String SECRET = "secret-of-mirror";

  private static final Duration UP_MAX = Duration.ofMinutes(5);

  private final Process process;
  private final int port;
  private final S3Client client;

  private S3Server(Process process, int port) {
    this.process = process;
    this.port = port;
    client =
        S3Client.builder()
            .endpointOverride(URI.create(url()))
            .forcePathStyle(true)
            .region(Region.US_EAST_1)
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET)))
            .httpClient(UrlConnectionHttpClient.create())
            .build();
  }

  /** Skips the test where the server cannot be installed. */
  static S3Server start(Maker maker, Path folder) throws IOException, InterruptedException {
    int port = FreePort.choose();
    Process process =
        new ProcessBuilder(maker.command(folder, port))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    await().atMost(UP_MAX).until(() -> accepts(port));
    return new S3Server(process, port);
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  int port() {
    return port;
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  S3Client client() {
    return client;
  }

  /** With which a command finds the server at {@code url}, and nothing of this machine's own. */
  static Map<String, String> environment(String url, Path folder) {
    return Map.of(
        "AWS_ENDPOINT_URL_S3",
        url,
        "AWS_ACCESS_KEY_ID",
        ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY",
        SECRET,
        "AWS_REGION",
        "us-east-1",
        "AWS_EC2_METADATA_DISABLED",
        "true",
        "AWS_CONFIG_FILE",
        folder.resolve("none").toString(),
        "AWS_SHARED_CREDENTIALS_FILE",
        folder.resolve("none").toString());
  }

  @Override
  public void close() {
    client.close();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
  }
}
