package wire

import "github.com/duramendb/duramen/mysql"

// commandNames is what PROCESSLIST shows for a command.
var commandNames = map[byte]string{
	mysql.COM_QUIT: "Quit", mysql.COM_INIT_DB: "Init DB", mysql.COM_QUERY: "Query", mysql.COM_FIELD_LIST: "Field List",
	mysql.COM_SHUTDOWN: "Shutdown", mysql.COM_STATISTICS: "Statistics", mysql.COM_PROCESS_INFO: "Processlist", mysql.COM_PROCESS_KILL: "Kill",
	mysql.COM_DEBUG: "Debug", mysql.COM_PING: "Ping", mysql.COM_CHANGE_USER: "Change user", mysql.COM_BINLOG_DUMP: "Binlog Dump",
	mysql.COM_REGISTER_SLAVE: "Register Slave", mysql.COM_STMT_PREPARE: "Prepare", mysql.COM_STMT_EXECUTE: "Execute",
	mysql.COM_STMT_SEND_LONG_DATA: "Long Data", mysql.COM_STMT_CLOSE: "Close stmt", mysql.COM_STMT_RESET: "Reset stmt",
	mysql.COM_STMT_BULK_EXECUTE: "Bulk_execute",
	mysql.COM_SET_OPTION:        "Set option", mysql.COM_STMT_FETCH: "Fetch", mysql.COM_RESET_CONNECTION: "Reset connection",
}

// serverCapabilities is what the greeting offers (CLIENT_SSL is added when a
// certificate is at hand). CLIENT_MYSQL stays unset: that is how a MariaDB server
// says that it is one.
const serverCapabilities = mysql.CLIENT_FOUND_ROWS | mysql.CLIENT_LONG_FLAG | mysql.CLIENT_CONNECT_WITH_DB |
	mysql.CLIENT_COMPRESS | mysql.CLIENT_LOCAL_FILES | mysql.CLIENT_ODBC | mysql.CLIENT_IGNORE_SPACE | mysql.CLIENT_PROTOCOL_41 |
	mysql.CLIENT_INTERACTIVE | mysql.CLIENT_TRANSACTIONS | mysql.CLIENT_SECURE_CONNECTION |
	mysql.CLIENT_MULTI_STATEMENTS | mysql.CLIENT_MULTI_RESULTS | mysql.CLIENT_PS_MULTI_RESULTS |
	mysql.CLIENT_PLUGIN_AUTH | mysql.CLIENT_CONNECT_ATTRS | mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA |
	mysql.CLIENT_SESSION_TRACK | mysql.CLIENT_DEPRECATE_EOF | mysql.CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS

// extendedCapabilities is what the greeting offers of MariaDB's own.
const extendedCapabilities = mysql.MARIADB_CLIENT_CACHE_METADATA | mysql.MARIADB_CLIENT_STMT_BULK_OPERATIONS

// Authentication plugins.
const (
	pluginNative = "mysql_native_password"
	pluginSha2   = "caching_sha2_password"
)

// maxPayload is the longest payload of one packet; longer ones are split.
const maxPayload = 1<<24 - 1
