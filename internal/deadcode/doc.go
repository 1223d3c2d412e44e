// Command deadcode finds functions that no program of this repository calls:
// neither the commands nor the examples, which stand for the programs that embed
// package duramen. What only tests call counts as dead; it belongs into the tests.
//
// The packages that are made for tests are left out, as no program imports them.
// Exceptions are in allowed.txt, each with its reason; one that is no longer needed
// is reported as well.
package main
