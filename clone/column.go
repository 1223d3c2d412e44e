package clone

import (
	"database/sql"
	"encoding/hex"
	"slices"
	"strings"
)

// class is how values of a column are read and written.
type class int

const (
	// plain values are written as they are printed: integers, DECIMAL, DOUBLE.
	plain class = iota
	// float is FLOAT, which is printed with fewer digits than it has.
	float
	// quoted values are ASCII texts: dates, times, UUIDs, addresses.
	quoted
	// raw values are the bytes that the column stores: texts in its own character set, BINARY, BLOB, BIT, JSON.
	raw
	// shape is GEOMETRY and its like: bytes, too.
	shape
	// member is ENUM and SET.
	member
	// year is YEAR: as a text, which a file has, 0 is 2000.
	year
)

// column is a column of a table.
type column struct {
	name      string
	class     class
	generated bool
	// loadable values can be in a file of LOAD DATA.
	loadable bool
	enum     bool
	integer  bool
}

// loads tells whether LOAD DATA takes a column's values, and does so without the fallback. definition is the type with its length or members.
func loads(dataType, definition string) bool {
	switch dataType {
	case "json", "bit", "uuid", "inet4", "inet6":
		return false
	case "enum", "set":
		// An empty text would be either a member or an ENUM's value that is none.
		return !strings.Contains(definition, "''")
	}
	return classOf(dataType) != shape
}

// classOf is the class of a type as information_schema names it.
func classOf(dataType string) class {
	switch dataType {
	case "enum", "set":
		return member
	case "float":
		return float
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "double":
		return plain
	case "year":
		return year
	case "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection", "geomcollection":
		return shape
	case "date", "time", "datetime", "timestamp", "uuid", "inet4", "inet6":
		return quoted
	}
	return raw
}

// read is what is selected for a column.
func (c *column) read(load bool) string {
	switch c.class {
	case float:
		return quoteName(c.name) + " + 0e0" // a DOUBLE, which is printed with all digits
	case member:
		// A number, since a member may be a text of digits, and ENUM has a value that is no member. A file has no numbers: see loads.
		if !load {
			return quoteName(c.name) + " + 0"
		}
	case plain, quoted, raw, shape, year:
	}
	return quoteName(c.name)
}

// stored are the columns that are copied: all that are not computed.
func (t *table) stored() []column {
	var list []column
	for _, c := range t.columns {
		if !c.generated {
			list = append(list, c)
		}
	}
	return list
}

// selection is the query that reads a part of a table.
func (p *part) selection() string {
	var q strings.Builder
	q.WriteString("SELECT ")
	for i, c := range p.table.stored() {
		if i > 0 {
			q.WriteString(", ")
		}
		q.WriteString(c.read(p.table.loadable))
	}
	q.WriteString(" FROM " + p.table.quoted())
	if p.where != "" {
		q.WriteString(" WHERE " + p.where)
	}
	return q.String()
}

// names is the list of the columns that are copied.
func (t *table) names() string {
	names := make([]string, 0, len(t.columns))
	for _, c := range t.stored() {
		names = append(names, quoteName(c.name))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// insertion is the statement that writes rows, up to their values.
func (t *table) insertion() []byte {
	return []byte("INSERT INTO " + t.quoted() + t.names() + " VALUES ")
}

// loading is the statement that reads rows from a file that the driver knows by its name.
func (t *table) loading(name string) string {
	return "LOAD DATA LOCAL INFILE 'Reader::" + name + "' INTO TABLE " + t.quoted() + " CHARACTER SET binary FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n'" + t.names()
}

// appendRow appends a row to an INSERT. nil is NULL.
func appendRow(dst []byte, columns []column, values []sql.RawBytes, first bool) []byte {
	if !first {
		dst = append(dst, ',')
	}
	for i, v := range values {
		if i == 0 {
			dst = append(dst, '(')
		} else {
			dst = append(dst, ',')
		}
		dst = appendLiteral(dst, columns[i].class, v)
	}
	return append(dst, ')')
}

// nonmembers counts the values of a row that are an ENUM's 0, which a file has as an empty text; see loads.
func nonmembers(columns []column, values []sql.RawBytes, load bool) int {
	count := 0
	for i, v := range values {
		if columns[i].enum && v != nil && (load && len(v) == 0 || !load && string(v) == "0") {
			count++
		}
	}
	return count
}

// appendNonmembers appends a row with an ENUM's 0 to an INSERT.
func appendNonmembers(dst []byte, columns []column, values []sql.RawBytes, load bool) []byte {
	columns, values = slices.Clone(columns), slices.Clone(values)
	for i, c := range columns {
		switch {
		case !load || c.class != member:
		case c.enum && values[i] != nil && len(values[i]) == 0:
			values[i] = []byte("0")
		default:
			columns[i].class = raw // was read as a text
		}
	}
	return appendRow(dst, columns, values, true)
}

// appendLine appends a row to a file of LOAD DATA.
func appendLine(dst []byte, columns []column, values []sql.RawBytes) []byte {
	for i, v := range values {
		if i > 0 {
			dst = append(dst, '\t')
		}
		switch {
		case v == nil:
			dst = append(dst, `\N`...)
		case columns[i].class == year && string(v) == "0":
			dst = append(dst, "0000"...)
		default:
			dst = appendField(dst, v)
		}
	}
	return append(dst, '\n')
}

// appendField escapes what separates fields and lines.
func appendField(dst, value []byte) []byte {
	for _, b := range value {
		switch b {
		case '\\', '\t', '\n':
			dst = append(dst, '\\', b)
		case 0:
			dst = append(dst, '\\', '0')
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// appendLiteral appends a value to a statement in ASCII. nil is NULL.
func appendLiteral(dst []byte, c class, value []byte) []byte {
	switch {
	case value == nil:
		return append(dst, "NULL"...)
	case c == plain, c == float, c == member, c == year:
		return append(dst, value...)
	case c == quoted:
		// None of these types is printed with a quotation mark or a backslash.
		dst = append(dst, '\'')
		dst = append(dst, value...)
		return append(dst, '\'')
	}
	dst = append(dst, "x'"...)
	dst = hex.AppendEncode(dst, value)
	return append(dst, '\'')
}
