package io.egress.api.hook;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Participant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Devices and members of workspaces. All transactions lock them in one order: devices before
 * members, each by workspace and id.
 */
final class Names {
  record Key(UUID workspaceId, UUID id) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::workspaceId).thenComparing(Key::id);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<Key, Device> devices = new TreeMap<>();
  private final Map<Key, Member> members = new TreeMap<>();
  private final Set<UUID> ended = new HashSet<>();

  static Names in(List<Capture> captures) {
    Names names = new Names();
    for (Capture capture : captures) {
      names.add(capture.workspaceId(), capture.device());
      for (Participant participant : capture.participants()) {
        Member member = participant.member();
        if (member != null) {
          names.add(capture.workspaceId(), member);
        }
      }
    }
    return names;
  }

  void add(UUID workspaceId, Device device) {
    devices.merge(new Key(workspaceId, device.id()), device, Names::latest);
  }

  void add(UUID workspaceId, Member member) {
    members.merge(new Key(workspaceId, member.id()), member, Names::latest);
  }

  /** Null fields mean unchanged. */
  void add(Names said) {
    said.devices.forEach((key, device) -> add(key.workspaceId(), device));
    said.members.forEach((key, member) -> add(key.workspaceId(), member));
  }

  /** These workspaces take nothing new. */
  void end(Collection<UUID> workspaceIds) {
    ended.addAll(workspaceIds);
  }

  boolean hasEnded(UUID workspaceId) {
    return ended.contains(workspaceId);
  }

  boolean knowsDeviceOf(Capture capture) {
    return devices.containsKey(new Key(capture.workspaceId(), capture.device().id()));
  }

  Map<Key, Device> devices() {
    return devices;
  }

  Map<Key, Member> members() {
    return members;
  }

  /** The names of {@code said} that differ from these; null fields mean unchanged. */
  Names changesBy(Names said) {
    Names changes = new Names();
    said.devices.forEach((key, device) -> {
      Device known = devices.get(key);
      Device latest = known == null ? device : latest(known, device);
      if (!latest.equals(known)) {
        changes.devices.put(key, latest);
      }
    });
    said.members.forEach((key, member) -> {
      Member known = members.get(key);
      Member latest = known == null ? member : latest(known, member);
      if (!latest.equals(known)) {
        changes.members.put(key, latest);
      }
    });
    return changes;
  }

  boolean isEmpty() {
    return devices.isEmpty() && members.isEmpty();
  }

  /** Returns {@code capture} with these names. */
  Capture applyTo(Capture capture) {
    UUID workspace = capture.workspaceId();
    Device device = capture.device();
    return capture.withNames(
        devices.getOrDefault(new Key(workspace, device.id()), device),
        member -> members.getOrDefault(new Key(workspace, member.id()), member));
  }

  private static Device latest(Device known, Device said) {
    return new Device(known.id(), said.name() == null ? known.name() : said.name());
  }

  private static Member latest(Member known, Member said) {
    return new Member(
        known.id(),
        said.name() == null ? known.name() : said.name(),
        said.email() == null ? known.email() : said.email());
  }
}
