package ddltext

import (
	"regexp"
	"strconv"
	"strings"
)

var integerType = regexp.MustCompile(`^(tinyint|smallint|mediumint|int|bigint)(\(\d+\))?( unsigned)?`)

// displayWidths are MariaDB's of signed and unsigned integers.
var displayWidths = map[string][2]int{
	"tinyint": {4, 3}, "smallint": {6, 5}, "mediumint": {9, 8}, "int": {11, 10}, "bigint": {20, 20},
}

// Type is a stored type (catalog.ColumnDef.SQLType) as MariaDB writes it: with the display width of
// integers, and LONGTEXT for JSON.
func Type(t string) string {
	switch strings.ToLower(t) {
	case "json":
		return "longtext"
	case "year":
		return "year(4)"
	}
	if strings.HasPrefix(t, "geomcollection") {
		return "geometrycollection"
	}
	m := integerType.FindStringSubmatch(t)
	if m == nil || m[2] != "" {
		return t
	}
	width := displayWidths[m[1]][0]
	if m[3] != "" {
		width = displayWidths[m[1]][1]
	}
	return m[1] + "(" + strconv.Itoa(width) + ")" + t[len(m[1]):]
}

// BaseType is the name of a type alone: "int" of "int(10) unsigned".
func BaseType(t string) string {
	t = strings.ToLower(Type(t))
	if at := strings.IndexAny(t, "( "); at >= 0 {
		t = t[:at]
	}
	return t
}

// IsJSON reports whether a stored type is JSON, which MariaDB shows as LONGTEXT with a check.
func IsJSON(t string) bool { return strings.EqualFold(t, "json") }

// IsCharacter reports whether values of a stored type have a collation.
func IsCharacter(t string) bool {
	switch BaseType(t) {
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set":
		return true
	}
	return false
}

func isNumeric(t string) bool {
	switch BaseType(t) {
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "bit", "year":
		return true
	}
	return false
}
