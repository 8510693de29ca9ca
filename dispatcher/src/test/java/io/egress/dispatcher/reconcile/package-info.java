@NullMarked
package io.egress.dispatcher.reconcile;

import org.jspecify.annotations.NullMarked;
