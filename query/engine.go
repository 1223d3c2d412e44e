package query

import (
	"log/slog"
)

// Config is what an Engine is made of.
type Config struct {
	// Version is what VERSION() and the handshake say: "10.11.14-MariaDB-duramen-0.1".
	Version string
	// Variables are values of system variables to start with (from the command
	// line and the option file), read-only ones included, by MariaDB's names.
	Variables map[string]any
	Logger    *slog.Logger
}

// Engine runs SQL for all sessions of one server.
type Engine struct {
	cfg Config
}

// Account is what authentication needs to know of a user account.
type Account struct {
	User, Host string // as in mysql.user; Host may be a pattern
	// Plugin is "mysql_native_password" or "caching_sha2_password" ...
	Plugin string
	// AuthString is the stored hash as that plugin writes it, "" for no password.
	AuthString string
	Locked     bool
}

// ReplicaInfo is what COM_REGISTER_SLAVE says; shown by SHOW SLAVE HOSTS.
type ReplicaInfo struct {
	ServerID, MasterID   uint32
	Host, User, Password string
	Port                 uint16
}
