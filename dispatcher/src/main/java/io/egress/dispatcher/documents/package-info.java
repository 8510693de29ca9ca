/** Documents in the form that is embedded in envelopes. */
@NullMarked
package io.egress.dispatcher.documents;

import org.jspecify.annotations.NullMarked;
