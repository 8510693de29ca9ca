/** The record of who changed what. */
@NullMarked
package io.egress.platform.audit;

import org.jspecify.annotations.NullMarked;
