package dialect

// Kill is KILL of a connection, or of all of a user, or of what these run.
type Kill struct {
	Query bool // the statement only
	Soft  bool
	ID    uint64
	// ByUser says that User and Host tell whose connections; a host of % is any.
	ByUser     bool
	User, Host string
}

func (s Kill) String() string {
	whom := number(s.ID)
	if s.ByUser {
		whom = "USER " + QuoteName(s.User) + "@" + QuoteName(s.Host)
	}
	return words("KILL", when(s.Soft, "SOFT"), when(s.Query, "QUERY"), whom)
}
