package io.egress.dispatcher.backfill;

/**
 * How far the backfills of one worker may run ahead of finished deliveries.
 *
 * <p>Deliveries to a broken endpoint stay unfinished for as long as retries last, so no endpoint
 * may take everything that is left: the more is taken, the smaller is each further share, and
 * sixteen broken endpoints do not block the seventeenth.
 */
final class Allowance {
  private static final int SHARES = 8;
  private static final int WORTH_A_REFILL = 4;

  private final BackfillSettings settings;
  private int ahead;

  Allowance(BackfillSettings settings) {
    this.settings = settings;
  }

  int ahead() {
    return ahead;
  }

  void change(int difference) {
    ahead += difference;
  }

  /**
   * How many more deliveries a backfill with {@code own} unfinished ones may publish now; 0 until
   * at least a quarter of its share is free.
   */
  int roomBeside(int own) {
    int free = settings.aheadMax() - ahead;
    int share = Math.min(settings.aheadPerEndpointMax(), Math.max(1, free / SHARES));
    int room = Math.min(share - own, free);
    boolean worthIt = room >= 1 && room * (long) WORTH_A_REFILL >= share;
    return worthIt ? Math.min(room, settings.batch()) : 0;
  }
}
