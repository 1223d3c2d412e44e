package mysql

// Ids of collations (the ID column of information_schema.COLLATIONS), which also
// stand for their character sets wherever the protocol or the log names one. These are
// the ones that something is done about; package collation knows them all.
const (
	Collation_latin1_swedish_ci  = 8
	Collation_ascii_general_ci   = 11
	Collation_utf8mb3_general_ci = 33
	Collation_utf8mb4_general_ci = 45
	Collation_utf8mb4_bin        = 46
	Collation_latin1_bin         = 47
	Collation_binary             = 63 // everything that is not text
	Collation_utf8mb3_bin        = 83
	Collation_utf8mb4_unicode_ci = 224
)
