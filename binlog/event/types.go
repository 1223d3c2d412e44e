package event

import "strconv"

// Type is the type code of an event. Codes above 127 exist only in MariaDB.
type Type byte

// Event types, as numbered by the servers.
const (
	Unknown                Type = 0
	StartV3                Type = 1
	QueryEvent             Type = 2
	StopEvent              Type = 3
	RotateEvent            Type = 4
	Intvar                 Type = 5
	Rand                   Type = 13
	UserVar                Type = 14
	FormatDescription      Type = 15
	XID                    Type = 16
	AppendBlock            Type = 9 // what comes behind BeginLoadQuery of a long file
	BeginLoadQuery         Type = 17
	ExecuteLoadQuery       Type = 18
	TableMap               Type = 19
	WriteRowsV1            Type = 23
	UpdateRowsV1           Type = 24
	DeleteRowsV1           Type = 25
	Incident               Type = 26
	Heartbeat              Type = 27
	Ignorable              Type = 28
	RowsQuery              Type = 29 // MySQL
	WriteRowsV2            Type = 30 // MySQL
	UpdateRowsV2           Type = 31 // MySQL
	DeleteRowsV2           Type = 32 // MySQL
	MySQLGTID              Type = 33 // MySQL
	MySQLAnonymousGTID     Type = 34 // MySQL
	MySQLPreviousGTIDs     Type = 35 // MySQL
	XAPrepare              Type = 38
	TransactionPayload     Type = 40 // MySQL
	AnnotateRows           Type = 160
	BinlogCheckpoint       Type = 161
	GTIDEvent              Type = 162
	GTIDList               Type = 163
	StartEncryption        Type = 164
	QueryCompressed        Type = 165
	WriteRowsCompressedV1  Type = 166
	UpdateRowsCompressedV1 Type = 167
	DeleteRowsCompressedV1 Type = 168
	WriteRowsCompressed    Type = 169
	UpdateRowsCompressed   Type = 170
	DeleteRowsCompressed   Type = 171
)

// typeNames is the Event_type column of SHOW BINLOG EVENTS in MariaDB.
var typeNames = map[Type]string{
	StartV3: "Start_v3", QueryEvent: "Query", StopEvent: "Stop", RotateEvent: "Rotate",
	Intvar: "Intvar", Rand: "RAND", UserVar: "User var", FormatDescription: "Format_desc",
	XID: "Xid", AppendBlock: "Append_block", BeginLoadQuery: "Begin_load_query", ExecuteLoadQuery: "Execute_load_query",
	TableMap: "Table_map", WriteRowsV1: "Write_rows_v1", UpdateRowsV1: "Update_rows_v1",
	DeleteRowsV1: "Delete_rows_v1", Incident: "Incident", Heartbeat: "Heartbeat",
	Ignorable: "Ignorable", RowsQuery: "MySQL Rows_query", WriteRowsV2: "Write_rows",
	UpdateRowsV2: "Update_rows", DeleteRowsV2: "Delete_rows", MySQLGTID: "MySQL Gtid",
	MySQLAnonymousGTID: "MySQL Anonymous_Gtid", MySQLPreviousGTIDs: "MySQL Previous_gtids",
	TransactionPayload: "MySQL Transaction_payload", XAPrepare: "XA_prepare", AnnotateRows: "Annotate_rows", BinlogCheckpoint: "Binlog_checkpoint",
	GTIDEvent: "Gtid", GTIDList: "Gtid_list", StartEncryption: "Start_encryption",
	QueryCompressed: "Query_compressed", WriteRowsCompressedV1: "Write_rows_compressed_v1",
	UpdateRowsCompressedV1: "Update_rows_compressed_v1", DeleteRowsCompressedV1: "Delete_rows_compressed_v1",
	WriteRowsCompressed: "Write_rows_compressed", UpdateRowsCompressed: "Update_rows_compressed",
	DeleteRowsCompressed: "Delete_rows_compressed",
}

// String is MariaDB's name of the type as SHOW BINLOG EVENTS prints it.
func (t Type) String() string {
	if s, ok := typeNames[t]; ok {
		return s
	}
	return "Unknown(" + strconv.Itoa(int(t)) + ")"
}

// IsRows reports whether t is a rows event of any version, compressed or not.
func (t Type) IsRows() bool {
	return t >= WriteRowsV1 && t <= DeleteRowsV1 || t >= WriteRowsV2 && t <= DeleteRowsV2 ||
		t >= WriteRowsCompressedV1 && t <= DeleteRowsCompressed
}

// Header flags.
const (
	FlagInUse          uint16 = 0x01 // in a format description: the file was not closed
	FlagThreadSpecific uint16 = 0x04
	FlagSuppressUse    uint16 = 0x08 // no USE is needed before the query (also set on GTID events)
	FlagArtificial     uint16 = 0x20 // made up for a reader, not in any file
	// FlagRelayLog says of a GTID event that its group came by replication. (MariaDB sets it in its relay logs, for the same reason.)
	FlagRelayLog        uint16 = 0x40
	FlagIgnorable       uint16 = 0x80 // a reader that does not know the type skips it
	FlagNoFilter        uint16 = 0x100
	FlagMTSIsolate      uint16 = 0x200
	FlagSkipReplication uint16 = 0x8000 // @@skip_replication was set
)
