package io.egress.bench.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The load of all processors, including other programs of the machine. */
final class MachineLoad {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private MachineLoad() {}

  /** The bean returns the load since it was last read. */
  static MachineLoad begin() {
    MachineLoad load = new MachineLoad();
    load.percent();
    return load;
  }

  /** Since the beginning, or since the previous call. */
  double percent() {
    return system.getCpuLoad() * 100;
  }
}
