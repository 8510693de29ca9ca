package io.egress.standalone.train;

import io.egress.embedded.ChildJvm;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.run.ServiceJvm;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the caches for the next start while the first one runs: a minute after it, at the lowest
 * priority, and only with memory to spare.
 */
public final class BackgroundTraining {
  private static final Logger log = LoggerFactory.getLogger(BackgroundTraining.class);

  /** Set by the start script if there is no cache for these libraries. */
  private static final String WANTED = "egress.train";

  private static final long WAIT_SECONDS = 60;
  private static final long FREE_MEGABYTES_MIN = 2_048;
  private static final Pattern AVAILABLE = Pattern.compile("MemAvailable:\\s+(\\d+) kB");

  private BackgroundTraining() {}

  /** It ends with {@code process}. {@code main} has the command line. */
  public static void begin(RunningProcess process, Class<?> main) {
    Path caches = ServiceJvm.caches();
    if (!Boolean.getBoolean(WANTED) || caches == null) {
      return;
    }
    Thread training = new Thread(() -> run(process, main, caches), "egress-training");
    training.setDaemon(true);
    training.start();
  }

  private static void run(RunningProcess process, Class<?> main, Path caches) {
    try {
      TimeUnit.SECONDS.sleep(WAIT_SECONDS);
      if (availableMegabytes() < FREE_MEGABYTES_MIN) {
        return;
      }
      List<String> line = ChildJvm.command();
      line.addAll(0, List.of("nice", "-n", "19"));
      line.addAll(List.of("-Xmx128m", "-Degress.jvm=" + System.getProperty("egress.jvm", "")));
      line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
      line.addAll(List.of("train", "--to", caches.toString()));
      Process training =
          new ProcessBuilder(line)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.DISCARD)
              .start();
      AtomicBoolean stopped = new AtomicBoolean();
      process.push(
          "the training run",
          () -> {
            stopped.set(true);
            training.destroy();
          });
      int status = training.waitFor();
      // One that is stopped exits with 0, too.
      if (!stopped.get()) {
        log.info(
            status == 0
                ? "The next start is faster: a training run has made its caches in {}"
                : "A training run has made no caches in {}; egress train says why",
            caches);
      }
    } catch (IOException failure) {
      log.info("No training run was made: {}", failure.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static long availableMegabytes() throws IOException {
    Path memory = Path.of("/proc/meminfo");
    if (!Files.isReadable(memory)) {
      return FREE_MEGABYTES_MIN;
    }
    Matcher available = AVAILABLE.matcher(Files.readString(memory));
    return available.find() ? Long.parseLong(available.group(1)) >> 10 : 0;
  }
}
