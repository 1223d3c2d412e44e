package mysql

// Commands: the first byte of what a client sends after the handshake.
const (
	COM_SLEEP               byte = 0
	COM_QUIT                byte = 1
	COM_INIT_DB             byte = 2
	COM_QUERY               byte = 3
	COM_FIELD_LIST          byte = 4
	COM_CREATE_DB           byte = 5
	COM_DROP_DB             byte = 6
	COM_REFRESH             byte = 7
	COM_SHUTDOWN            byte = 8
	COM_STATISTICS          byte = 9
	COM_PROCESS_INFO        byte = 10
	COM_CONNECT             byte = 11
	COM_PROCESS_KILL        byte = 12
	COM_DEBUG               byte = 13
	COM_PING                byte = 14
	COM_TIME                byte = 15
	COM_DELAYED_INSERT      byte = 16
	COM_CHANGE_USER         byte = 17
	COM_BINLOG_DUMP         byte = 18
	COM_TABLE_DUMP          byte = 19
	COM_CONNECT_OUT         byte = 20
	COM_REGISTER_SLAVE      byte = 21
	COM_STMT_PREPARE        byte = 22
	COM_STMT_EXECUTE        byte = 23
	COM_STMT_SEND_LONG_DATA byte = 24
	COM_STMT_CLOSE          byte = 25
	COM_STMT_RESET          byte = 26
	COM_SET_OPTION          byte = 27
	COM_STMT_FETCH          byte = 28
	COM_DAEMON              byte = 29
	COM_BINLOG_DUMP_GTID    byte = 30 // MySQL only
	COM_RESET_CONNECTION    byte = 31
	COM_STMT_BULK_EXECUTE   byte = 250 // MariaDB only
)

// Flags of COM_BINLOG_DUMP.
const (
	BINLOG_DUMP_NON_BLOCK           uint16 = 1 // end at the end of the log
	BINLOG_SEND_ANNOTATE_ROWS_EVENT uint16 = 2
)
