package mysql

// Column types, as they stand in column definitions, parameters and table maps.
// The log has types of its own for times with fractions (TIMESTAMP2 and so on) and
// for compressed columns, and calls ENUM and SET a STRING (see ResolveString).
const (
	MYSQL_TYPE_DECIMAL            byte = 0
	MYSQL_TYPE_TINY               byte = 1
	MYSQL_TYPE_SHORT              byte = 2
	MYSQL_TYPE_LONG               byte = 3
	MYSQL_TYPE_FLOAT              byte = 4
	MYSQL_TYPE_DOUBLE             byte = 5
	MYSQL_TYPE_NULL               byte = 6
	MYSQL_TYPE_TIMESTAMP          byte = 7
	MYSQL_TYPE_LONGLONG           byte = 8
	MYSQL_TYPE_INT24              byte = 9
	MYSQL_TYPE_DATE               byte = 10
	MYSQL_TYPE_TIME               byte = 11
	MYSQL_TYPE_DATETIME           byte = 12
	MYSQL_TYPE_YEAR               byte = 13
	MYSQL_TYPE_NEWDATE            byte = 14
	MYSQL_TYPE_VARCHAR            byte = 15
	MYSQL_TYPE_BIT                byte = 16
	MYSQL_TYPE_TIMESTAMP2         byte = 17
	MYSQL_TYPE_DATETIME2          byte = 18
	MYSQL_TYPE_TIME2              byte = 19
	MYSQL_TYPE_BLOB_COMPRESSED    byte = 140
	MYSQL_TYPE_VARCHAR_COMPRESSED byte = 141
	MYSQL_TYPE_JSON               byte = 245 // MySQL only; MariaDB's JSON is a LONGTEXT
	MYSQL_TYPE_NEWDECIMAL         byte = 246
	MYSQL_TYPE_ENUM               byte = 247
	MYSQL_TYPE_SET                byte = 248
	MYSQL_TYPE_TINY_BLOB          byte = 249
	MYSQL_TYPE_MEDIUM_BLOB        byte = 250
	MYSQL_TYPE_LONG_BLOB          byte = 251
	MYSQL_TYPE_BLOB               byte = 252
	MYSQL_TYPE_VAR_STRING         byte = 253
	MYSQL_TYPE_STRING             byte = 254
	MYSQL_TYPE_GEOMETRY           byte = 255
)
