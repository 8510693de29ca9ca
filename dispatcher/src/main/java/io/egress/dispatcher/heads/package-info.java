/** Documents in the form that is embedded in envelopes. */
@NullMarked
package io.egress.dispatcher.heads;

import org.jspecify.annotations.NullMarked;
