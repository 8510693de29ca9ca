/** Documents as they are put into envelopes. */
@NullMarked
package io.egress.dispatcher.document;

import org.jspecify.annotations.NullMarked;
