package dialect

// Statement is a statement that the server runs itself, as a value: what was said, and nothing of how it is done. It is immutable,
// compares by what it says, and can be printed, logged, authorised and tested without a server.
type Statement interface {
	// String prints the statement, in MariaDB's words, so that parsing the text yields the same value.
	String() string
}
