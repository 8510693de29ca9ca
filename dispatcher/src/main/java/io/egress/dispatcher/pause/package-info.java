/** Automatic pause of failing endpoints, and its notices. */
@NullMarked
package io.egress.dispatcher.pause;

import org.jspecify.annotations.NullMarked;
