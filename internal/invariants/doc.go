// Package invariants has checks that are compiled with the build tag "invariants" only: make test-invariants runs the
// tests of the storage packages with it. Without the tag Enabled is a constant false, the types are empty and
// their methods do nothing, so that a check costs nothing where it stands.
package invariants

import "fmt"

// Violation is what a violated invariant panics with.
type Violation string

func (v Violation) Error() string { return "invariant violated: " + string(v) }

// Check panics with a Violation unless ok, if Enabled. Arguments that cost something belong into an if Enabled.
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		panic(Violation(fmt.Sprintf(format, args...)))
	}
}
