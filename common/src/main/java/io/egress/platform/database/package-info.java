@NullMarked
package io.egress.platform.database;

import org.jspecify.annotations.NullMarked;
