package mysql

// Server status flags: the status field of OK and EOF packets.
const (
	SERVER_STATUS_IN_TRANS             uint16 = 1 << 0
	SERVER_STATUS_AUTOCOMMIT           uint16 = 1 << 1
	SERVER_MORE_RESULTS_EXISTS         uint16 = 1 << 3
	SERVER_QUERY_NO_GOOD_INDEX_USED    uint16 = 1 << 4
	SERVER_QUERY_NO_INDEX_USED         uint16 = 1 << 5
	SERVER_STATUS_CURSOR_EXISTS        uint16 = 1 << 6
	SERVER_STATUS_LAST_ROW_SENT        uint16 = 1 << 7
	SERVER_STATUS_DB_DROPPED           uint16 = 1 << 8
	SERVER_STATUS_NO_BACKSLASH_ESCAPES uint16 = 1 << 9
	SERVER_STATUS_METADATA_CHANGED     uint16 = 1 << 10
	SERVER_QUERY_WAS_SLOW              uint16 = 1 << 11
	SERVER_PS_OUT_PARAMS               uint16 = 1 << 12
	SERVER_STATUS_IN_TRANS_READONLY    uint16 = 1 << 13
	SERVER_SESSION_STATE_CHANGED       uint16 = 1 << 14
	SERVER_STATUS_ANSI_QUOTES          uint16 = 1 << 15
)
