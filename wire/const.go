package wire

import "github.com/go-mysql-org/go-mysql/mysql"

// Commands of the client/server protocol: go-mysql's constants, under the names used here.
const (
	comQuit             = mysql.COM_QUIT
	comInitDB           = mysql.COM_INIT_DB
	comQuery            = mysql.COM_QUERY
	comFieldList        = mysql.COM_FIELD_LIST
	comShutdown         = mysql.COM_SHUTDOWN
	comStatistics       = mysql.COM_STATISTICS
	comProcessInfo      = mysql.COM_PROCESS_INFO
	comProcessKill      = mysql.COM_PROCESS_KILL
	comDebug            = mysql.COM_DEBUG
	comPing             = mysql.COM_PING
	comChangeUser       = mysql.COM_CHANGE_USER
	comBinlogDump       = mysql.COM_BINLOG_DUMP
	comRegisterSlave    = mysql.COM_REGISTER_SLAVE
	comStmtPrepare      = mysql.COM_STMT_PREPARE
	comStmtExecute      = mysql.COM_STMT_EXECUTE
	comStmtSendLongData = mysql.COM_STMT_SEND_LONG_DATA
	comStmtClose        = mysql.COM_STMT_CLOSE
	comStmtReset        = mysql.COM_STMT_RESET
	comSetOption        = mysql.COM_SET_OPTION
	comStmtFetch        = mysql.COM_STMT_FETCH
	comResetConnection  = mysql.COM_RESET_CONNECTION
)

// commandNames is what PROCESSLIST shows for a command.
var commandNames = map[byte]string{
	comQuit: "Quit", comInitDB: "Init DB", comQuery: "Query", comFieldList: "Field List",
	comShutdown: "Shutdown", comStatistics: "Statistics", comProcessInfo: "Processlist", comProcessKill: "Kill",
	comDebug: "Debug", comPing: "Ping", comChangeUser: "Change user", comBinlogDump: "Binlog Dump",
	comRegisterSlave: "Register Slave", comStmtPrepare: "Prepare", comStmtExecute: "Execute",
	comStmtSendLongData: "Long Data", comStmtClose: "Close stmt", comStmtReset: "Reset stmt",
	comSetOption: "Set option", comStmtFetch: "Fetch", comResetConnection: "Reset connection",
}

// Capability flags: go-mysql's constants, under the names used here.
const (
	clientFoundRows        = uint32(mysql.CLIENT_FOUND_ROWS)
	clientLongFlag         = uint32(mysql.CLIENT_LONG_FLAG)
	clientConnectWithDB    = uint32(mysql.CLIENT_CONNECT_WITH_DB)
	clientLocalFiles       = uint32(mysql.CLIENT_LOCAL_FILES)
	clientODBC             = uint32(mysql.CLIENT_ODBC)
	clientIgnoreSpace      = uint32(mysql.CLIENT_IGNORE_SPACE)
	clientProtocol41       = uint32(mysql.CLIENT_PROTOCOL_41)
	clientInteractive      = uint32(mysql.CLIENT_INTERACTIVE)
	clientSSL              = uint32(mysql.CLIENT_SSL)
	clientTransactions     = uint32(mysql.CLIENT_TRANSACTIONS)
	clientSecureConnection = uint32(mysql.CLIENT_SECURE_CONNECTION)
	clientMultiStatements  = uint32(mysql.CLIENT_MULTI_STATEMENTS)
	clientMultiResults     = uint32(mysql.CLIENT_MULTI_RESULTS)
	clientPSMultiResults   = uint32(mysql.CLIENT_PS_MULTI_RESULTS)
	clientPluginAuth       = uint32(mysql.CLIENT_PLUGIN_AUTH)
	clientConnectAttrs     = uint32(mysql.CLIENT_CONNECT_ATTRS)
	clientLenencAuth       = uint32(mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)
	clientSessionTrack     = uint32(mysql.CLIENT_SESSION_TRACK)
	clientExpiredPasswords = uint32(mysql.CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS)
	clientDeprecateEOF     = uint32(mysql.CLIENT_DEPRECATE_EOF)
)

// serverCapabilities is what the greeting offers (CLIENT_SSL is added when a
// certificate is at hand). CLIENT_LONG_PASSWORD (MariaDB: CLIENT_MYSQL) stays
// unset: that is how a MariaDB server says that it is one. Compression is not
// offered. Neither are MariaDB's extended capabilities.
const serverCapabilities = clientFoundRows | clientLongFlag | clientConnectWithDB | clientLocalFiles |
	clientODBC | clientIgnoreSpace | clientProtocol41 | clientInteractive | clientTransactions |
	clientSecureConnection | clientMultiStatements | clientMultiResults | clientPSMultiResults |
	clientPluginAuth | clientConnectAttrs | clientLenencAuth | clientSessionTrack | clientDeprecateEOF |
	clientExpiredPasswords

// Server status flags.
const (
	statusMoreResults         = uint16(mysql.SERVER_MORE_RESULTS_EXISTS)
	statusSessionStateChanged = uint16(mysql.SERVER_SESSION_STATE_CHANGED)
	statusAutocommit          = uint16(mysql.SERVER_STATUS_AUTOCOMMIT)
)

// Column types as sent in column definitions and parameters.
const (
	typeDecimal    = mysql.MYSQL_TYPE_DECIMAL
	typeTiny       = mysql.MYSQL_TYPE_TINY
	typeShort      = mysql.MYSQL_TYPE_SHORT
	typeLong       = mysql.MYSQL_TYPE_LONG
	typeFloat      = mysql.MYSQL_TYPE_FLOAT
	typeDouble     = mysql.MYSQL_TYPE_DOUBLE
	typeNull       = mysql.MYSQL_TYPE_NULL
	typeTimestamp  = mysql.MYSQL_TYPE_TIMESTAMP
	typeLonglong   = mysql.MYSQL_TYPE_LONGLONG
	typeInt24      = mysql.MYSQL_TYPE_INT24
	typeDate       = mysql.MYSQL_TYPE_DATE
	typeTime       = mysql.MYSQL_TYPE_TIME
	typeDatetime   = mysql.MYSQL_TYPE_DATETIME
	typeYear       = mysql.MYSQL_TYPE_YEAR
	typeNewDate    = mysql.MYSQL_TYPE_NEWDATE
	typeVarchar    = mysql.MYSQL_TYPE_VARCHAR
	typeBit        = mysql.MYSQL_TYPE_BIT
	typeJSON       = mysql.MYSQL_TYPE_JSON
	typeNewDecimal = mysql.MYSQL_TYPE_NEWDECIMAL
	typeEnum       = mysql.MYSQL_TYPE_ENUM
	typeSet        = mysql.MYSQL_TYPE_SET
	typeTinyBlob   = mysql.MYSQL_TYPE_TINY_BLOB
	typeMediumBlob = mysql.MYSQL_TYPE_MEDIUM_BLOB
	typeLongBlob   = mysql.MYSQL_TYPE_LONG_BLOB
	typeBlob       = mysql.MYSQL_TYPE_BLOB
	typeVarString  = mysql.MYSQL_TYPE_VAR_STRING
	typeString     = mysql.MYSQL_TYPE_STRING
	typeGeometry   = mysql.MYSQL_TYPE_GEOMETRY
)

// Authentication plugins.
const (
	pluginNative = mysql.AUTH_NATIVE_PASSWORD
	pluginSha2   = mysql.AUTH_CACHING_SHA2_PASSWORD
)

// maxPayload is the longest payload of one packet; longer ones are split.
const maxPayload = mysql.MaxPayloadLen
