package tables

import (
	"slices"

	goerrors "gopkg.in/src-d/go-errors.v1"
)

var (
	// ErrDuplicateCheck: a CHECK constraint of that name exists.
	ErrDuplicateCheck = goerrors.NewKind("Duplicate CHECK constraint name '%s'")
)

// sortBy sorts by an integer, keeping the order of equal ones.
func sortBy[T any](s []T, key func(T) int) {
	slices.SortStableFunc(s, func(a, b T) int { return key(a) - key(b) })
}
