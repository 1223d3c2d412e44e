package event

import (
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

// Codes of the optional metadata that may follow a table map.
const (
	metaSignedness           = 1
	metaDefaultCharset       = 2
	metaColumnCharset        = 3
	metaColumnName           = 4
	metaSetValues            = 5
	metaEnumValues           = 6
	metaGeometryType         = 7
	metaSimplePrimaryKey     = 8
	metaPrimaryKeyWithPrefix = 9
	metaEnumSetDefaultChars  = 10
	metaEnumSetColumnCharset = 11
)

func isNumeric(t byte) bool {
	switch t {
	case mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG,
		mysql.MYSQL_TYPE_NEWDECIMAL, mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE, mysql.MYSQL_TYPE_YEAR:
		return true
	}
	return false
}

// realType resolves the ENUM or SET behind a STRING.
func (c *ColumnMeta) realType() byte {
	if c.Type == mysql.MYSQL_TYPE_STRING {
		t, _ := mysql.ResolveString(c.Meta)
		return t
	}
	return c.Type
}

func (c *ColumnMeta) isCharacter() bool {
	switch c.realType() {
	case mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VARCHAR_COMPRESSED,
		mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB,
		mysql.MYSQL_TYPE_BLOB_COMPRESSED, mysql.MYSQL_TYPE_GEOMETRY:
		return true
	}
	return false
}

// isText is isCharacter for MySQL, which counts no spatial columns.
func (c *ColumnMeta) isText() bool { return c.Type != mysql.MYSQL_TYPE_GEOMETRY && c.isCharacter() }

func (c *ColumnMeta) isEnumOrSet() bool {
	t := c.realType()
	return t == mysql.MYSQL_TYPE_ENUM || t == mysql.MYSQL_TYPE_SET
}

// beginField and endField frame one optional field: code, packed length, value.
// The length is not known before; short ones, the usual case, are completed in place.
func beginField(dst []byte, code byte) ([]byte, int) {
	return append(dst, code, 0), len(dst) + 2
}

func endField(dst []byte, start int) []byte {
	n := len(dst) - start
	if n == 0 {
		return dst[:start-2] // an empty field is not written
	}
	if n < 251 {
		dst[start-1] = byte(n)
		return dst
	}
	var size [9]byte
	length := appendPacked(size[:0], uint64(n))
	dst = append(dst, length[1:]...) // grow by what the length takes more
	copy(dst[start-1+len(length):], dst[start:start+n])
	copy(dst[start-1:], length)
	return dst
}

func appendOptionalMetadata(dst []byte, info *TableMapInfo) []byte {
	dst = appendSignedness(dst, info.Columns)
	dst = appendCharsets(dst, info.Columns, metaDefaultCharset, metaColumnCharset, (*ColumnMeta).isCharacter)
	dst, at := beginField(dst, metaGeometryType)
	for i := range info.Columns {
		if info.Columns[i].Type == mysql.MYSQL_TYPE_GEOMETRY {
			dst = appendPacked(dst, uint64(info.Columns[i].GeometryType))
		}
	}
	dst = endField(dst, at)
	if info.Metadata != RowMetadataFull {
		return dst
	}
	dst, at = beginField(dst, metaColumnName)
	for i := range info.Columns {
		name := info.Columns[i].Name
		dst = append(appendPacked(dst, uint64(len(name))), name...)
	}
	dst = endField(dst, at)
	dst = appendCharsets(dst, info.Columns, metaEnumSetDefaultChars, metaEnumSetColumnCharset, (*ColumnMeta).isEnumOrSet)
	dst = appendMembers(dst, info.Columns, metaSetValues, mysql.MYSQL_TYPE_SET)
	dst = appendMembers(dst, info.Columns, metaEnumValues, mysql.MYSQL_TYPE_ENUM)
	return appendPrimaryKey(dst, info.PrimaryKey)
}

// appendSignedness appends one bit per numeric column, the first in the
// highest bit: 1 for unsigned.
func appendSignedness(dst []byte, cols []ColumnMeta) []byte {
	dst, at := beginField(dst, metaSignedness)
	n := 0
	for i := range cols {
		if !isNumeric(cols[i].Type) {
			continue
		}
		if n%8 == 0 {
			dst = append(dst, 0)
		}
		if cols[i].Unsigned {
			dst[len(dst)-1] |= 0x80 >> (n % 8)
		}
		n++
	}
	return endField(dst, at)
}

// appendCharsets writes the collation ids of the columns that match, in the
// shorter of two ways: a default and the exceptions to it, or all.
func appendCharsets(dst []byte, cols []ColumnMeta, codeDefault, codeEach byte, match func(*ColumnMeta) bool) []byte {
	matching, common, most := 0, uint16(0), 0
	for i := range cols {
		if !match(&cols[i]) {
			continue
		}
		matching++
		same := 0
		for j := range cols {
			if match(&cols[j]) && cols[j].Charset == cols[i].Charset {
				same++
			}
		}
		if same > most {
			most, common = same, cols[i].Charset
		}
	}
	// An exception costs an index and an id, so MariaDB writes a default if
	// fewer than half of the columns differ from it.
	useDefault := 2*(matching-most) < matching
	code := codeEach
	if useDefault {
		code = codeDefault
	}
	dst, at := beginField(dst, code)
	if useDefault {
		dst = appendPacked(dst, uint64(common))
	}
	index := 0
	for i := range cols {
		c := &cols[i]
		if !match(c) {
			continue
		}
		if !useDefault {
			dst = appendPacked(dst, uint64(c.Charset))
		} else if c.Charset != common {
			dst = appendPacked(appendPacked(dst, uint64(index)), uint64(c.Charset))
		}
		index++
	}
	return endField(dst, at)
}

func appendMembers(dst []byte, cols []ColumnMeta, code, typ byte) []byte {
	dst, at := beginField(dst, code)
	for i := range cols {
		if cols[i].realType() != typ {
			continue
		}
		dst = appendPacked(dst, uint64(len(cols[i].Values)))
		for _, v := range cols[i].Values {
			dst = append(appendPacked(dst, uint64(len(v))), v...)
		}
	}
	return endField(dst, at)
}

func appendPrimaryKey(dst []byte, key []KeyColumn) []byte {
	prefixed := false
	for _, k := range key {
		prefixed = prefixed || k.Prefix != 0
	}
	code := byte(metaSimplePrimaryKey)
	if prefixed {
		code = metaPrimaryKeyWithPrefix
	}
	dst, at := beginField(dst, code)
	for _, k := range key {
		dst = appendPacked(dst, uint64(k.Column))
		if prefixed {
			dst = appendPacked(dst, uint64(k.Prefix))
		}
	}
	return endField(dst, at)
}

// decodeOptionalMetadata reads what follows the null bits. Unknown codes are skipped.
func (t *TableMapInfo) decodeOptionalMetadata(b []byte, ofMySQL bool) error {
	character := (*ColumnMeta).isCharacter
	if ofMySQL {
		character = (*ColumnMeta).isText
	}
	r := reader{b: b}
	for len(r.b) > 0 {
		code := r.u8()
		f := reader{b: r.take(r.packedLen())}
		if r.failed {
			break
		}
		t.Metadata = max(t.Metadata, RowMetadataMinimal)
		switch code {
		case metaSignedness:
			t.decodeSignedness(f.b)
		case metaDefaultCharset, metaColumnCharset:
			t.decodeCharsets(&f, code == metaDefaultCharset, character)
		case metaEnumSetDefaultChars, metaEnumSetColumnCharset:
			t.decodeCharsets(&f, code == metaEnumSetDefaultChars, (*ColumnMeta).isEnumOrSet)
		case metaGeometryType:
			t.eachColumn(func(c *ColumnMeta) bool { return c.Type == mysql.MYSQL_TYPE_GEOMETRY },
				func(c *ColumnMeta) { c.GeometryType = byte(f.packed()) })
		case metaColumnName:
			t.Metadata = RowMetadataFull
			t.eachColumn(nil, func(c *ColumnMeta) { c.Name = string(f.take(f.packedLen())) })
		case metaSetValues:
			t.decodeMembers(&f, mysql.MYSQL_TYPE_SET)
		case metaEnumValues:
			t.decodeMembers(&f, mysql.MYSQL_TYPE_ENUM)
		case metaSimplePrimaryKey, metaPrimaryKeyWithPrefix:
			for len(f.b) > 0 {
				k := KeyColumn{Column: int(uint32(f.packed()))}
				if code == metaPrimaryKeyWithPrefix {
					k.Prefix = int(uint32(f.packed()))
				}
				t.PrimaryKey = append(t.PrimaryKey, k)
			}
		}
		if f.failed {
			return fmt.Errorf("%w: optional metadata %d of a table map is cut short", ErrMalformed, code)
		}
	}
	if r.failed {
		return fmt.Errorf("%w: optional metadata of a table map is cut short", ErrMalformed)
	}
	return nil
}

// eachColumn calls do for the columns that match; nil matches all.
func (t *TableMapInfo) eachColumn(match func(*ColumnMeta) bool, do func(*ColumnMeta)) {
	for i := range t.Columns {
		if c := &t.Columns[i]; match == nil || match(c) {
			do(c)
		}
	}
}

func (t *TableMapInfo) decodeSignedness(bits []byte) {
	n := 0
	t.eachColumn(func(c *ColumnMeta) bool { return isNumeric(c.Type) }, func(c *ColumnMeta) {
		if n/8 < len(bits) {
			c.Unsigned = bits[n/8]<<(n%8)&0x80 != 0
		}
		n++
	})
}

func (t *TableMapInfo) decodeCharsets(f *reader, withDefault bool, match func(*ColumnMeta) bool) {
	if !withDefault {
		t.eachColumn(match, func(c *ColumnMeta) { c.Charset = uint16(f.packed()) })
		return
	}
	common := uint16(f.packed())
	exceptions := map[uint64]uint16{}
	for len(f.b) > 0 {
		index := f.packed()
		exceptions[index] = uint16(f.packed())
	}
	var index uint64
	t.eachColumn(match, func(c *ColumnMeta) {
		c.Charset = common
		if id, ok := exceptions[index]; ok {
			c.Charset = id
		}
		index++
	})
}

func (t *TableMapInfo) decodeMembers(f *reader, typ byte) {
	t.eachColumn(func(c *ColumnMeta) bool { return c.realType() == typ }, func(c *ColumnMeta) {
		for n := f.packedLen(); n > 0 && !f.failed; n-- {
			c.Values = append(c.Values, string(f.take(f.packedLen())))
		}
	})
}
