package infoschema

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/types/charset"
)

// typeFacts are what COLUMNS, PARAMETERS and ROUTINES say of a type.
type typeFacts struct {
	dataType                       string
	length, octets                 any
	precision, scale, datetime     any
	charset, collation, columnType any
}

// integerDigits are NUMERIC_PRECISION of signed and unsigned integers.
var integerDigits = map[string][2]int{
	"tinyint": {3, 3}, "smallint": {5, 5}, "mediumint": {7, 8}, "int": {10, 10}, "bigint": {19, 20},
}

// factsOf describes a stored type; members are those of ENUM and SET.
func factsOf(sqlType string, coll uint16, members []string) typeFacts {
	text := ddltext.Type(sqlType)
	f := typeFacts{dataType: ddltext.BaseType(sqlType), columnType: text}
	number := func() int {
		_, rest, _ := strings.Cut(text, "(")
		digits, _, _ := strings.Cut(rest, ")")
		n, _ := strconv.Atoi(digits)
		return n
	}
	if ddltext.IsJSON(sqlType) {
		coll = mysql.Collation_utf8mb4_bin
	}
	bytes := 1
	if c, ok := charset.ByID(coll); ok && ddltext.IsCharacter(sqlType) {
		f.charset, f.collation = c.Set().Name(), c.Name()
		bytes = c.Set().MaxLen()
	}
	switch f.dataType {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		f.precision, f.scale = integerDigits[f.dataType][0], 0
		if strings.Contains(text, "unsigned") {
			f.precision = integerDigits[f.dataType][1]
		}
	case "decimal", "float", "double":
		if p, s, ok := ddltext.Decimals(text); ok {
			f.precision, f.scale = p, s
		} else if f.dataType == "float" {
			f.precision = 12
		} else {
			f.precision = 22
		}
	case "bit":
		f.precision = number()
	case "time", "datetime", "timestamp":
		f.datetime = number()
	case "char", "varchar", "binary", "varbinary":
		f.length, f.octets = number(), number()*bytes
	case "tinytext", "tinyblob":
		f.length, f.octets = 255, 255
	case "text", "blob":
		f.length, f.octets = 65535, 65535
	case "mediumtext", "mediumblob":
		f.length, f.octets = 16777215, 16777215
	case "longtext", "longblob":
		f.length, f.octets = uint64(4294967295), uint64(4294967295)
	case "enum", "set":
		longest, all := 0, max(len(members)-1, 0)
		for _, m := range members {
			n := len([]rune(m))
			longest, all = max(longest, n), all+n
		}
		if f.dataType == "set" {
			longest = all
		}
		f.length, f.octets = longest, longest*bytes
	}
	return f
}
