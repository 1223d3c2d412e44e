package mysql

// Column flags: the flags of a column definition.
const (
	NOT_NULL_FLAG         uint16 = 1
	PRI_KEY_FLAG          uint16 = 2
	UNIQUE_KEY_FLAG       uint16 = 4
	MULTIPLE_KEY_FLAG     uint16 = 8
	BLOB_FLAG             uint16 = 16
	UNSIGNED_FLAG         uint16 = 32
	ZEROFILL_FLAG         uint16 = 64
	BINARY_FLAG           uint16 = 128
	ENUM_FLAG             uint16 = 256
	AUTO_INCREMENT_FLAG   uint16 = 512
	TIMESTAMP_FLAG        uint16 = 1024
	SET_FLAG              uint16 = 2048
	NO_DEFAULT_VALUE_FLAG uint16 = 4096
	ON_UPDATE_NOW_FLAG    uint16 = 8192
	PART_KEY_FLAG         uint16 = 16384
	NUM_FLAG              uint16 = 32768
)

// NOT_FIXED_DEC is the number of decimals of a floating point column without a
// declared scale.
const NOT_FIXED_DEC = 31
