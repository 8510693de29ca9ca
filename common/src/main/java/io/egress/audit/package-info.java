/** The record of who changed what. */
@NullMarked
package io.egress.audit;

import org.jspecify.annotations.NullMarked;
