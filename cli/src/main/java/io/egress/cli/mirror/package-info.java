/** {@code egress mirror}: a file or an object for each capture of a workspace. */
@NullMarked
package io.egress.cli.mirror;

import org.jspecify.annotations.NullMarked;
