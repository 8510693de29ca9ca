package io.egress.api.hook;

import io.egress.platform.flow.LatestUsed;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import java.util.List;
import java.util.Map;

/**
 * Caches the names that the database had where captures left them out or had other ones. Most
 * documents can thus be rendered before the transaction, which then checks the names.
 */
final class NamesLastSeen {
  private static final int EACH_MAX = 10_000;

  private final Map<Names.Key, Device> devices = new LatestUsed<>(EACH_MAX);
  private final Map<Names.Key, Member> members = new LatestUsed<>(EACH_MAX);

  /** Returns {@code capture} with the names it will most likely be shown with. */
  Capture show(Capture capture) {
    Names said = Names.in(List.of(capture));
    Names seen = seen(said);
    if (seen.isEmpty()) {
      return capture;
    }
    seen.add(said);
    return seen.applyTo(capture);
  }

  /** Whether the database most likely has all of these names. */
  boolean hasAll(Names said) {
    return seen(said).changesBy(said).isEmpty();
  }

  private synchronized Names seen(Names asked) {
    Names seen = new Names();
    for (Names.Key key : asked.devices().keySet()) {
      Device device = devices.get(key);
      if (device != null) {
        seen.add(key.workspaceId(), device);
      }
    }
    for (Names.Key key : asked.members().keySet()) {
      Member member = members.get(key);
      if (member != null) {
        seen.add(key.workspaceId(), member);
      }
    }
    return seen;
  }

  synchronized void learn(Names names) {
    devices.putAll(names.devices());
    members.putAll(names.members());
  }
}
