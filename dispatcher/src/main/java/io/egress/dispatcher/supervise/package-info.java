/** What happens when a part of the dispatcher fails or cannot work: it starts again. */
@NullMarked
package io.egress.dispatcher.supervise;

import org.jspecify.annotations.NullMarked;
