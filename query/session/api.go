package session

// ConnInfo says who a session belongs to.
type ConnInfo struct {
	ID   uint32 // connection id, unique in the server; 0 lets the Engine choose
	User string // the account's user name, after authentication
	Host string // the client's host, "localhost" for a unix socket
	IP   string // the same, where Host has been replaced by a name; filled in by the session
	// Address is host:port of the client as SHOW PROCESSLIST shows it; Host if empty.
	Address string
	// Login is set for connections of clients: they count for the limits of their account. Expired
	// says that their password has to be changed before anything else.
	Login        bool
	Expired      bool
	DB           string // database to start in, "" for none
	Capabilities uint32 // the client's capability flags (CLIENT_FOUND_ROWS, CLIENT_MULTI_STATEMENTS ...)
	// Collation is the id of the handshake's collation; 0 for the server's default.
	Collation uint8
	// Attributes are the connection attributes that the client sent.
	Attributes map[string]string
	// TLSCipher and TLSVersion are those of an encrypted connection, in OpenSSL's words.
	TLSCipher, TLSVersion string
	// Kill, if set, closes the connection; called by KILL CONNECTION, from any goroutine.
	Kill func()
}
