package io.egress.webhook.endpoint;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block of IPv4 or IPv6 addresses, such as {@code 10.0.0.0/8} or {@code fd00::/8}. */
public final class CidrBlock {
  private final InetAddress network;
  private final byte[] networkBytes;
  private final int prefixBits;

  private CidrBlock(InetAddress network, int prefixBits) {
    this.network = network;
    this.networkBytes = network.getAddress();
    this.prefixBits = prefixBits;
  }

  /**
   * An address without a prefix is a block of one. Throws {@link IllegalArgumentException} with a
   * message for the user.
   */
  public static CidrBlock parse(String text) {
    int slash = text.indexOf('/');
    InetAddress network = IpLiterals.parse(slash < 0 ? text : text.substring(0, slash));
    if (network == null) {
      throw new IllegalArgumentException(
          "must be an IP address or a block such as 10.0.0.0/8 or fd00::/8, not \"" + text + "\"");
    }
    int widthBits = network.getAddress().length * Byte.SIZE;
    int prefixBits = slash < 0 ? widthBits : prefixBits(text, slash, widthBits);
    CidrBlock block = new CidrBlock(network, prefixBits);
    if (block.hasHostBits()) {
      throw new IllegalArgumentException("\"" + text + "\" has bits set behind its prefix");
    }
    return block;
  }

  /** Comma-separated blocks; none if the text is blank. */
  public static List<CidrBlock> parseList(String text) {
    if (text.isBlank()) {
      return List.of();
    }
    return Arrays.stream(text.split(",", -1)).map(String::strip).map(CidrBlock::parse).toList();
  }

  public boolean contains(InetAddress address) {
    return contains(address.getAddress());
  }

  boolean contains(byte[] address) {
    if (address.length != networkBytes.length) {
      return false;
    }
    int wholeBytes = prefixBits / Byte.SIZE;
    for (int i = 0; i < wholeBytes; i++) {
      if (address[i] != networkBytes[i]) {
        return false;
      }
    }
    int bitsLeft = prefixBits % Byte.SIZE;
    int mask = 0xff00 >> bitsLeft;
    return bitsLeft == 0 || ((address[wholeBytes] ^ networkBytes[wholeBytes]) & mask & 0xff) == 0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CidrBlock block
        && block.prefixBits == prefixBits
        && block.network.equals(network);
  }

  @Override
  public int hashCode() {
    return 31 * network.hashCode() + prefixBits;
  }

  @Override
  public String toString() {
    return IpLiterals.text(network) + "/" + prefixBits;
  }

  private boolean hasHostBits() {
    for (int bit = prefixBits; bit < networkBytes.length * Byte.SIZE; bit++) {
      if ((networkBytes[bit / Byte.SIZE] & (0x80 >> (bit % Byte.SIZE))) != 0) {
        return true;
      }
    }
    return false;
  }

  private static int prefixBits(String text, int slash, int widthBits) {
    String digits = text.substring(slash + 1);
    if (digits.matches("0|[1-9][0-9]{0,2}")) {
      int bits = Integer.parseInt(digits);
      if (bits <= widthBits) {
        return bits;
      }
    }
    throw new IllegalArgumentException(
        "the prefix of \"" + text + "\" must be a whole number from 0 to " + widthBits);
  }
}
