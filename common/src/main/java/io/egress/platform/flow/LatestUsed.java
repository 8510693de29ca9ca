package io.egress.platform.flow;

import java.util.LinkedHashMap;
import java.util.Map;

/** A cache that forgets what was used longest ago. Not thread-safe. */
public final class LatestUsed<K, V> extends LinkedHashMap<K, V> {
  private static final long serialVersionUID = 1L;
  private static final int CAPACITY = 16;
  private static final float LOAD_FACTOR = 0.75f;

  private final int sizeMax;

  public LatestUsed(int sizeMax) {
    super(CAPACITY, LOAD_FACTOR, true);
    this.sizeMax = sizeMax;
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
    return size() > sizeMax;
  }
}
