package dialect

// Shutdown is SHUTDOWN.
type Shutdown struct {
	WaitForReplicas bool // WAIT FOR ALL SLAVES
}

func (s Shutdown) String() string {
	if s.WaitForReplicas {
		return "SHUTDOWN WAIT FOR ALL SLAVES"
	}
	return "SHUTDOWN"
}
