package charset

import "strings"

// A MySQL 8 has collations by version 9.0.0 of the Unicode Collation Algorithm (utf8mb4_0900_ai_ci is what it takes where nothing else is said), a MariaDB by version 14.0.0.
// From 11.4.5 on a MariaDB takes its own for those of MySQL, and so do we where a MySQL is followed or cloned. Letters that both versions know are as equal and as
// different in the one as in the other; letters of scripts that came later than 9.0.0 are ordered by their numbers in a MySQL. utf8mb4_0900_bin is utf8mb4_nopad_bin.
//
// The numbers are those of MySQL's information_schema.COLLATIONS: 255 and the following for the tailorings of _ai_ci, from 278 on the same for _as_cs.
const (
	mysqlAICI = 255
	mysqlASCS = 278
	mysqlASCI = 305
	mysqlBin  = 309
	mysqlLast = 323
)

// mysqlTailorings are the languages of MySQL's collations, by their numbers less mysqlAICI, and what they are called here; "" is the root. Japanese, Russian, Chinese
// and what MySQL 8.0.30 has brought are not among a MariaDB's.
var mysqlTailorings = [mysqlASCS - mysqlAICI]struct{ theirs, ours string }{
	{"", ""},
	{"de_pb", "german2"},
	{"is", "icelandic"},
	{"lv", "latvian"},
	{"ro", "romanian"},
	{"sl", "slovenian"},
	{"pl", "polish"},
	{"et", "estonian"},
	{"es", "spanish"},
	{"sv", "swedish"},
	{"tr", "turkish"},
	{"cs", "czech"},
	{"da", "danish"},
	{"lt", "lithuanian"},
	{"sk", "slovak"},
	{"es_trad", "spanish2"},
	{"la", "roman"},
	18: {"eo", "esperanto"},
	19: {"hu", "hungarian"},
	20: {"hr", "croatian"},
	22: {"vi", "vietnamese"},
}

// OnlyMySQL reports whether a number is that of a collation of a MySQL 8 which no MariaDB 10.11 has.
func OnlyMySQL(id uint16) bool {
	_, known := ByID(id)
	return !known && id >= mysqlAICI && id <= mysqlLast
}

// OfMySQLID finds what stands for a collation of a MySQL 8, see OnlyMySQL, by the number that it has there.
func OfMySQLID(id uint16) (*Collation, bool) {
	switch {
	case id == mysqlASCI:
		return ByName("utf8mb4_uca1400_nopad_as_ci")
	case id == mysqlBin:
		return ByName("utf8mb4_nopad_bin")
	case id >= mysqlAICI && id < mysqlASCS:
		return ofMySQL(int(id)-mysqlAICI, "ai_ci")
	case id >= mysqlASCS && int(id) < mysqlASCS+len(mysqlTailorings):
		return ofMySQL(int(id)-mysqlASCS, "as_cs")
	}
	return nil, false
}

func ofMySQL(tailoring int, sensitivity string) (*Collation, bool) {
	name := "utf8mb4_uca1400_"
	switch ours := mysqlTailorings[tailoring].ours; {
	case ours != "":
		name += ours + "_"
	case tailoring != 0:
		return nil, false
	}
	return ByName(name + "nopad_" + sensitivity)
}

// OfMySQLName finds what stands for a collation of a MySQL 8 by the name that it has there; upper and lower case are the same.
func OfMySQLName(name string) (*Collation, bool) {
	rest, ok := strings.CutPrefix(lowerASCII(name), "utf8mb4_")
	if !ok {
		return nil, false
	}
	language, kind, ok := strings.Cut(rest, "0900_")
	if !ok {
		return nil, false
	}
	switch {
	case language == "" && kind == "as_ci":
		return OfMySQLID(mysqlASCI)
	case language == "" && kind == "bin":
		return OfMySQLID(mysqlBin)
	case kind != "ai_ci" && kind != "as_cs":
		return nil, false
	}
	for i, t := range mysqlTailorings {
		if i == 0 && language == "" || t.theirs != "" && language == t.theirs+"_" {
			return ofMySQL(i, kind)
		}
	}
	return nil, false
}
