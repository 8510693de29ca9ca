package io.egress.cli;

import java.time.Duration;
import java.util.Stack;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option of lists that change. */
final class Watch {
  private static final int DEFAULT_SECONDS = 2;

  @Option(
      names = "--watch",
      paramLabel = "SECONDS",
      arity = "0..1",
      parameterConsumer = Interval.class,
      description =
          "print the list again every 2 seconds, or as often as given, until Ctrl-C, which exits with 0")
  private @Nullable Integer seconds;

  /** Takes only a number: what follows may be the workspace. */
  static final class Interval implements IParameterConsumer {
    @Override
    public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
      boolean given = !words.isEmpty() && words.peek().matches("\\d{1,5}");
      option.setValue(given ? Integer.valueOf(words.pop()) : DEFAULT_SECONDS);
    }
  }

  /** Prints once, or again and again until the process is stopped or a call fails. */
  int repeat(Output output, IntSupplier list) {
    if (seconds == null) {
      return list.getAsInt();
    }
    Thread stop = new Thread(() -> Runtime.getRuntime().halt(0), "egress-watch-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      int status = list.getAsInt();
      while (status == 0) {
        LockSupport.parkNanos(Duration.ofSeconds(Math.max(1, seconds)).toNanos());
        output.startAgain();
        status = list.getAsInt();
      }
      return status;
    } finally {
      Runtime.getRuntime().removeShutdownHook(stop);
    }
  }
}
