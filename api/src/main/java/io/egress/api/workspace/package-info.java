/** What the calls on things that belong to a workspace share. */
@NullMarked
package io.egress.api.workspace;

import org.jspecify.annotations.NullMarked;
