@NullMarked
package io.egress.api;

import org.jspecify.annotations.NullMarked;
