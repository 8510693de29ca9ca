@NullMarked
package io.egress.dispatcher.deliver;

import org.jspecify.annotations.NullMarked;
