package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.run.ChildProcess;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A backlog for one number of dispatcher processes. */
final class ScaleStep {
  /**
   * The result for one number of processes.
   *
   * @param machinePercent the load of all processors
   * @param connections to PostgreSQL, of the api and all dispatchers
   */
  record Result(
      double perSecond,
      double machinePercent,
      int connections,
      int duplicates,
      ResidentMax resident) {}

  private static final String CONNECTIONS =
      """
      select count(*) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()
      """;

  private final PushStage stage;
  private final DeliveryGroup group;
  private final ScaleLoad load;
  private final Drain drain;

  ScaleStep(PushStage stage, DeliveryGroup group, ScaleLoad load) {
    this.stage = stage;
    this.group = group;
    this.load = load;
    this.drain = new Drain(stage);
  }

  Result run(int processes) throws InterruptedException {
    PushEndpoints endpoints = new PushEndpoints(stage);
    endpoints.mixed(load.workspaces(), load.hangingEach());
    int each = load.backlogEach(processes);
    drain.fill(endpoints.workspaces(), each);
    Arrivals arrivals = stage.receiver().begin();
    Map<String, String> limit =
        Map.of("EGRESS_DISPATCHER_IN_FLIGHT", Integer.toString(load.inFlight()));
    Result result;
    try (DispatcherFleet fleet = new DispatcherFleet(stage, group, "scale-" + processes, limit)) {
      fleet.start(processes);
      result = measure(processes, arrivals, fleet, each * load.healthy());
    }
    endpoints.endAll();
    return result;
  }

  private Result measure(int processes, Arrivals arrivals, DispatcherFleet fleet, int owed)
      throws InterruptedException {
    ChildProcess any = fleet.running().get(0);
    Drain.await(arrivals, load.warmUp(processes), any);
    MachineLoad machine = MachineLoad.begin();
    int before = arrivals.count();
    long begun = System.nanoTime();
    TimeUnit.SECONDS.sleep(load.seconds());
    int delivered = arrivals.count() - before;
    double machinePercent = machine.percent();
    double elapsed = (System.nanoTime() - begun) / 1e9;
    int connections = connections();
    Drain.await(arrivals, owed, any);
    return new Result(
        delivered / elapsed,
        machinePercent,
        connections,
        arrivals.duplicates(),
        stage.residentMax(fleet.running()));
  }

  private int connections() {
    return RunningProcess.await(stage.history().pool().query(CONNECTIONS).execute())
        .iterator()
        .next()
        .getInteger(0);
  }
}
