package io.egress.bench.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How busy all processors were, with whatever else runs on the machine. */
final class MachineLoad {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private MachineLoad() {}

  /** The bean tells the load since it was last asked. */
  static MachineLoad begin() {
    MachineLoad load = new MachineLoad();
    load.percent();
    return load;
  }

  /** Since the beginning, or since the last call. */
  double percent() {
    return system.getCpuLoad() * 100;
  }
}
