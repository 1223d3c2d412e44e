package dialect

// Shutdown is SHUTDOWN.
type Shutdown struct{}

func (Shutdown) String() string { return "SHUTDOWN" }
