package io.egress.dispatcher.reconcile;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * What identifies a queue: the cluster, the topics, and the offsets committed in them.
 *
 * @param topicIds by name; recreated topics have another id
 * @param strayOffsets descriptions of committed offsets outside of what the topics contain
 */
record QueueView(String clusterId, Map<String, String> topicIds, Set<String> strayOffsets) {
  QueueView {
    topicIds = Map.copyOf(topicIds);
    strayOffsets = Set.copyOf(strayOffsets);
  }

  /** The topics that others have taken the place of, whose offsets mean nothing any more. */
  Set<String> replacedBy(QueueView now) {
    Set<String> replaced = new HashSet<>(topicIds.keySet());
    if (clusterId.equals(now.clusterId)) {
      replaced.removeIf(name -> Objects.equals(topicIds.get(name), now.topicIds.get(name)));
    }
    return replaced;
  }

  /** What was lost since; empty if nothing was. Topics may be added. */
  List<String> lostBy(QueueView now) {
    if (!clusterId.equals(now.clusterId)) {
      return List.of("Kafka cluster " + clusterId + " was replaced by " + now.clusterId);
    }
    List<String> lost = new ArrayList<>();
    new TreeMap<>(topicIds)
        .forEach((name, id) -> {
          String present = now.topicIds.get(name);
          if (present == null) {
            lost.add("topic " + name + " was deleted");
          } else if (!present.equals(id)) {
            lost.add("topic " + name + " was deleted and created again");
          }
        });
    now.strayOffsets.stream()
        .filter(each -> !strayOffsets.contains(each))
        .sorted()
        .forEach(lost::add);
    return lost;
  }
}
