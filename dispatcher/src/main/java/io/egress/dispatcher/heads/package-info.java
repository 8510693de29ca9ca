/** Documents as they are put into envelopes. */
@NullMarked
package io.egress.dispatcher.heads;

import org.jspecify.annotations.NullMarked;
