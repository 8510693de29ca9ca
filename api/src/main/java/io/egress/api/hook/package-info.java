@NullMarked
package io.egress.api.hook;

import org.jspecify.annotations.NullMarked;
