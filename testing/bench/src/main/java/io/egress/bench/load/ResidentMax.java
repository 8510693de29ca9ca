package io.egress.bench.load;

import io.egress.standalone.run.ChildProcess;
import java.util.List;
import java.util.stream.Collectors;

/** The peak resident memory of the service's processes, as reported by the system. */
record ResidentMax(long apiMegabytes, List<Long> dispatchersMegabytes, int heapMegabytes) {
  ResidentMax {
    dispatchersMegabytes = List.copyOf(dispatchersMegabytes);
  }

  static ResidentMax of(ChildProcess api, List<ChildProcess> dispatchers, int heapMegabytes) {
    return new ResidentMax(
        api.residentMaxMegabytes(),
        dispatchers.stream().map(ChildProcess::residentMaxMegabytes).toList(),
        heapMegabytes);
  }

  void print() {
    System.out.printf(
        "  resident at most: api %d MB, dispatcher %s MB; heap limit %d MB each%n",
        apiMegabytes,
        dispatchersMegabytes.stream().map(String::valueOf).collect(Collectors.joining(", ")),
        heapMegabytes);
  }
}
