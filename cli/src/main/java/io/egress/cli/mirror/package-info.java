/** {@code egress mirror}: a folder with a file for each capture of a workspace. */
@NullMarked
package io.egress.cli.mirror;

import org.jspecify.annotations.NullMarked;
