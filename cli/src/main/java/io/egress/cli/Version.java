package io.egress.cli;

import picocli.CommandLine.IVersionProvider;

/** From the manifest of the jar; classes outside a jar have no version. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"Transcript Egress " + (version == null ? "development" : version)};
  }
}
