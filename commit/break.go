package commit

// breakage names one way to make the pipeline wrong. The crash laboratory
// turns each one on to prove that it would notice.
type breakage int

const (
	intact breakage = iota
	// skipSync acknowledges without the sync.
	skipSync
	// applyBeforeSync lets the engine have a group before the log is durable.
	applyBeforeSync
	// dropMark leaves the position out of the engine's batch.
	dropMark
)
