@NullMarked
package io.egress.standalone.demo;

import org.jspecify.annotations.NullMarked;
