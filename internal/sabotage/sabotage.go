// Package sabotage names the ways in which tests make the storage wrong on
// purpose, to prove that the crash laboratory would notice. Only packages of
// this module can name them.
package sabotage

// Kind is one way to be wrong. The zero value is to be right.
type Kind int

// Kinds.
const (
	None Kind = iota
	// SkipSync acknowledges groups that were written but not synced, and lets
	// the engine overtake the log.
	SkipSync
	// ApplyBeforeSync gives a group to the engine, which may make it durable,
	// before the log is synced.
	ApplyBeforeSync
	// MarkApart leaves the mark out of the batch: it is applied on its own, ahead
	// of the sync and the rows.
	MarkApart
)

// String is the name of the constant.
func (k Kind) String() string {
	switch k {
	case None:
		return "None"
	case SkipSync:
		return "SkipSync"
	case ApplyBeforeSync:
		return "ApplyBeforeSync"
	case MarkApart:
		return "MarkApart"
	}
	return "unknown"
}
