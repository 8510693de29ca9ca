@NullMarked
package io.egress.database;

import org.jspecify.annotations.NullMarked;
