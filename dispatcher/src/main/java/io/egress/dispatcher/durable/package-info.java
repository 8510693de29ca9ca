/** Work that must become durable, however often it takes. */
@NullMarked
package io.egress.dispatcher.durable;

import org.jspecify.annotations.NullMarked;
