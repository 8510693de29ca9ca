package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.run.ChildProcess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A backlog followed by a steady pace, for one number of dispatcher processes. */
final class ScaleStep {
  /**
   * The result for one number of processes.
   *
   * @param machinePercent the load of all processors
   * @param dispatchersPerDelivery their processor seconds per delivery
   * @param connections to PostgreSQL, of the api and all dispatchers
   * @param pacedPerSecond deliveries at the steady pace
   */
  record Result(
      double perSecond,
      double machinePercent,
      double dispatchersPerDelivery,
      int connections,
      double pacedPerSecond,
      double pacedMachinePercent,
      Latencies paced,
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
      result = measure(processes, endpoints, arrivals, fleet, each * load.healthy());
    }
    endpoints.endAll();
    return result;
  }

  private Result measure(
      int processes, PushEndpoints endpoints, Arrivals arrivals, DispatcherFleet fleet, int owed)
      throws InterruptedException {
    ChildProcess any = fleet.running().get(0);
    Drain.await(arrivals, load.warmUp(processes), any);
    ProcessorTime time = dispatchers(fleet);
    MachineLoad machine = MachineLoad.begin();
    int before = arrivals.count();
    TimeUnit.SECONDS.sleep(load.seconds());
    int delivered = arrivals.count() - before;
    double machinePercent = machine.percent();
    Map<String, Double> used = time.end();
    int connections = connections();
    Drain.await(arrivals, owed, any);

    double perSecond = delivered / used.getOrDefault(ProcessorTime.ELAPSED, Double.NaN);
    HookLoad hook = new HookLoad(stage, endpoints.healthy());
    double pace = load.halfPace(perSecond);
    int warmUp = put(hook, pace, load.warmUpSeconds()).created();
    MachineLoad pacedMachine = MachineLoad.begin();
    HookLoad.Result paced = put(hook, pace, load.seconds());
    double pacedMachinePercent = pacedMachine.percent();
    Drain.await(arrivals, owed + (warmUp + paced.created()) * load.healthyEach(), any);
    return new Result(
        perSecond,
        machinePercent,
        used.getOrDefault("dispatchers", Double.NaN) / delivered,
        connections,
        pace * load.healthyEach(),
        pacedMachinePercent,
        arrivals.since(paced.startNanos()),
        arrivals.duplicates(),
        stage.residentMax(fleet.running()));
  }

  private static HookLoad.Result put(HookLoad hook, double perSecond, int seconds) {
    long total = Math.max(1, Math.round(perSecond * seconds));
    return hook.run(perSecond, begun -> begun < total);
  }

  private static ProcessorTime dispatchers(DispatcherFleet fleet) {
    List<ChildProcess> running = fleet.running();
    return ProcessorTime.begin(
        Map.of("dispatchers", () -> running.stream().map(ChildProcess::handle)));
  }

  private int connections() {
    return RunningProcess.await(stage.history().pool().query(CONNECTIONS).execute())
        .iterator()
        .next()
        .getInteger(0);
  }
}
