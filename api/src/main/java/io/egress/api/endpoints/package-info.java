@NullMarked
package io.egress.api.endpoints;

import org.jspecify.annotations.NullMarked;
