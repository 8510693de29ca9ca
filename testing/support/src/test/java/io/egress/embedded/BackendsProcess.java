package io.egress.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.testing.Traces;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Both servers in a process of its own, to be killed; it leaves a row and a record. */
final class BackendsProcess implements AutoCloseable {
  static final String TRACE = "left by the other process";
  private static final String READY = "traces left";

  private final Process process;

  private BackendsProcess(Process process) {
    this.process = process;
  }

  public static void main(String[] arguments) throws Exception {
    EmbeddedBackends backends = EmbeddedBackends.start(Path.of(arguments[0]));
    Traces.leaveRow(backends.databaseUrl(), TRACE);
    Traces.leaveRecord(backends.kafkaBootstrap(), TRACE);
    System.out.println(READY);
    // Ends with the test, should that be killed.
    int end = System.in.read();
    backends.close();
    System.exit(end);
  }

  static BackendsProcess spawn(Path dataDir) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                BackendsProcess.class.getName(),
                dataDir.toString())
            .redirectErrorStream(true)
            .start();
    StringBuilder output = new StringBuilder();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals(READY)) {
        return new BackendsProcess(process);
      }
      output.append(line).append('\n');
    }
    throw new AssertionError("the other process ended early:\n" + output);
  }

  long pid() {
    return process.pid();
  }

  void kill() {
    process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    kill();
  }
}
