package io.egress.bench.load;

import picocli.CommandLine.Command;

/** A load test that prints a table of results. */
@Command(
    name = "bench",
    description = "Measures the service on this machine and prints a table.",
    subcommands = {
      PullBench.class,
      PushBench.class,
      IngestBench.class,
      IdleBench.class,
      WaitingBench.class,
      ScaleBench.class,
      BulkBench.class
    })
public final class BenchCommand {}
