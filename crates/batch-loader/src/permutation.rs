//! A keyed bijection of the numbers below a bound.
