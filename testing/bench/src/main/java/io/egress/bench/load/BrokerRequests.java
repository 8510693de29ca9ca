package io.egress.bench.load;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The requests that a broker has answered, by kind, from the metrics of its JVM. */
final class BrokerRequests {
  private final JMXConnector connector;
  private final Map<String, Long> before;

  private BrokerRequests(JMXConnector connector) {
    this.connector = connector;
    this.before = read();
  }

  @SuppressWarnings("BanJNDI") // The address is that of the broker's own agent on this machine.
  static BrokerRequests begin(ProcessHandle broker) {
    try {
      VirtualMachine jvm = VirtualMachine.attach(Long.toString(broker.pid()));
      try {
        return new BrokerRequests(
            JMXConnectorFactory.connect(new JMXServiceURL(jvm.startLocalManagementAgent())));
      } finally {
        jvm.detach();
      }
    } catch (AttachNotSupportedException | IOException failure) {
      throw new IllegalStateException(
          "the JVM of the broker, process %d, does not let its metrics be read"
              .formatted(broker.pid()),
          failure);
    }
  }

  /** Since the beginning, without those that were not made. */
  Map<String, Long> end() {
    Map<String, Long> since = new TreeMap<>();
    read().forEach((kind, count) -> since.put(kind, count - before.getOrDefault(kind, 0L)));
    since.values().removeIf(count -> count == 0);
    try {
      connector.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return since;
  }

  private Map<String, Long> read() {
    Map<String, Long> counts = new TreeMap<>();
    try {
      MBeanServerConnection beans = connector.getMBeanServerConnection();
      ObjectName all =
          new ObjectName("kafka.network:type=RequestMetrics,name=RequestsPerSec,request=*,*");
      for (ObjectName name : beans.queryNames(all, null)) {
        long count = (Long) beans.getAttribute(name, "Count");
        counts.merge(name.getKeyProperty("request"), count, Long::sum);
      }
    } catch (JMException | IOException failure) {
      throw new IllegalStateException("cannot read the broker's metrics of requests", failure);
    }
    return counts;
  }
}
