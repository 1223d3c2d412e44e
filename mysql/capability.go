package mysql

// Capability flags of the handshake.
const (
	CLIENT_MYSQL                          uint32 = 1 << 0 // MySQL: CLIENT_LONG_PASSWORD
	CLIENT_FOUND_ROWS                     uint32 = 1 << 1
	CLIENT_LONG_FLAG                      uint32 = 1 << 2
	CLIENT_CONNECT_WITH_DB                uint32 = 1 << 3
	CLIENT_NO_SCHEMA                      uint32 = 1 << 4
	CLIENT_COMPRESS                       uint32 = 1 << 5
	CLIENT_ODBC                           uint32 = 1 << 6
	CLIENT_LOCAL_FILES                    uint32 = 1 << 7
	CLIENT_IGNORE_SPACE                   uint32 = 1 << 8
	CLIENT_PROTOCOL_41                    uint32 = 1 << 9
	CLIENT_INTERACTIVE                    uint32 = 1 << 10
	CLIENT_SSL                            uint32 = 1 << 11
	CLIENT_IGNORE_SIGPIPE                 uint32 = 1 << 12
	CLIENT_TRANSACTIONS                   uint32 = 1 << 13
	CLIENT_RESERVED                       uint32 = 1 << 14
	CLIENT_SECURE_CONNECTION              uint32 = 1 << 15
	CLIENT_MULTI_STATEMENTS               uint32 = 1 << 16
	CLIENT_MULTI_RESULTS                  uint32 = 1 << 17
	CLIENT_PS_MULTI_RESULTS               uint32 = 1 << 18
	CLIENT_PLUGIN_AUTH                    uint32 = 1 << 19
	CLIENT_CONNECT_ATTRS                  uint32 = 1 << 20
	CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA uint32 = 1 << 21
	CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS   uint32 = 1 << 22
	CLIENT_SESSION_TRACK                  uint32 = 1 << 23
	CLIENT_DEPRECATE_EOF                  uint32 = 1 << 24
	CLIENT_SSL_VERIFY_SERVER_CERT         uint32 = 1 << 30
	CLIENT_REMEMBER_OPTIONS               uint32 = 1 << 31
)

// CURSOR_TYPE_READ_ONLY is the flag of COM_STMT_EXECUTE that asks for a cursor.
const CURSOR_TYPE_READ_ONLY byte = 1

// MariaDB's extended capabilities: the upper half of 64 bits, in bytes of the handshake that MySQL leaves zero.
const (
	MARIADB_CLIENT_STMT_BULK_OPERATIONS uint32 = 1 << 2
	MARIADB_CLIENT_CACHE_METADATA       uint32 = 1 << 4
)
