@NullMarked
package io.egress.platform.http;

import org.jspecify.annotations.NullMarked;
