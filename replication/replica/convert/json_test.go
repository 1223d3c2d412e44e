package convert_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/replication/replica/convert"
)

// longText is a table with one column, as JSON is here.
func longText(t testing.TB) *catalog.Table {
	return table(t, catalog.ColumnDef{Name: "j", SQLType: "longtext", Type: mysql.MYSQL_TYPE_BLOB, Meta: 4, Collation: mysql.Collation_utf8mb4_bin, Nullable: true})
}

func jsonPlan(t testing.TB) *convert.Plan {
	p, err := convert.Compile(&event.TableMapInfo{Columns: []event.ColumnMeta{{Type: mysql.MYSQL_TYPE_JSON, Meta: 4, Nullable: true}}}, longText(t), 0)
	require.NoError(t, err)
	return p
}

// ofDocument is the text of a MySQL's document.
func ofDocument(p *convert.Plan, doc string) (string, error) {
	image := binary.LittleEndian.AppendUint32([]byte{0xfe}, uint32(len(doc)))
	out, err := p.Insert(nil, append(image, doc...), nil)
	if err != nil {
		return "", err
	}
	return string(out[5:]), nil
}

// TestDocuments has documents in MySQL's form; what a real MySQL makes of many more is in test/following.
func TestDocuments(t *testing.T) {
	p := jsonPlan(t)
	nested := func(depth int) string { // arrays in each other
		doc := "\x00\x00\x04\x00"
		for range depth - 1 {
			doc = "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(doc)+7))) + "\x02\x07\x00" + doc
		}
		return "\x02" + doc
	}
	for _, c := range []struct{ doc, want string }{
		{"", "null"}, {"\x04\x00", "null"}, {"\x04\x01", "true"}, {"\x04\x02", "false"},
		{"\x05\xff\xff", "-1"}, {"\x06\xff\xff", "65535"}, {"\x07\x00\x00\x00\x80", "-2147483648"}, {"\x08\xff\xff\xff\xff", "4294967295"},
		{"\x09\x00\x00\x00\x00\x00\x00\x00\x80", "-9223372036854775808"}, {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"},
		{"\x0b\x00\x00\x00\x00\x00\x00\xf8\x3f", "1.5"}, {"\x0c\x05a\"\\\x01\n", `"a\"\\\u0001\n"`},
		{"\x00\x00\x00\x04\x00", "{}"}, {"\x02\x00\x00\x04\x00", "[]"},
		{"\x00\x01\x00\x0c\x00\x0b\x00\x01\x00\x05\x07\x00a", `{"a": 7}`},
		{"\x02\x02\x00\x0d\x00\x04\x01\x00\x0c\x0a\x00\x02xy", `[true, "xy"]`},
		{"\x0f\x0d\x02\x01\x02", `"base64:type13:AQI="`},
		{nested(3), "[[[]]]"}, {nested(100), strings.Repeat("[", 100) + strings.Repeat("]", 100)},
	} {
		got, err := ofDocument(p, c.doc)
		require.NoError(t, err, "%q", c.doc)
		require.Equal(t, c.want, got)
		for cut := 1; cut < len(c.doc); cut++ {
			_, err := ofDocument(p, c.doc[:cut])
			require.ErrorIs(t, err, convert.ErrImage, "%q", c.doc[:cut])
		}
	}
	// Each array has its elements in the same place: the text would have 2^99 elements.
	heavy := "\x00\x00\x04\x00"
	for range 98 {
		heavy = "\x02\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(heavy)+10))) + "\x02\x0a\x00\x02\x0a\x00" + heavy
	}
	for _, doc := range []string{"\x02" + heavy, nested(101), "\x03\xff\xff\xff\xff\xff\xff\xff\xff\x04\x00", "\x00\xff\xff\xff\xff\x00\x00", "\x0c\xff\xff\xff\xff\x7f", "\x0c\x80\x80\x80\x80\x80\x01", "\x0d\x00", "\x04\x03", "\x0c\x01\xff", "\x0f\x07\x01\x00", "\x0f\xf6\x01\x00"} {
		_, err := ofDocument(p, doc)
		require.ErrorIs(t, err, convert.ErrImage, "%.40q", doc)
	}
	for _, other := range []catalog.ColumnDef{
		{Name: "j", SQLType: "text", Type: mysql.MYSQL_TYPE_BLOB, Meta: 2, Collation: mysql.Collation_utf8mb4_bin}, {Name: "j", SQLType: "longblob", Type: mysql.MYSQL_TYPE_BLOB, Meta: 4, Collation: mysql.Collation_binary},
		{Name: "j", SQLType: "int", Type: mysql.MYSQL_TYPE_LONG}, {Name: "j", SQLType: "longtext", Type: mysql.MYSQL_TYPE_BLOB, Meta: 4, Collation: 8},
	} {
		_, err := convert.Compile(&event.TableMapInfo{Columns: []event.ColumnMeta{{Type: mysql.MYSQL_TYPE_JSON, Meta: 4}}}, table(t, other), convert.AllLossy|convert.AllNonLossy)
		require.ErrorContains(t, err, "from type 'json'")
	}
}

// FuzzDocuments takes any bytes for a document: what comes out is JSON, and not much longer, or it is an error.
func FuzzDocuments(f *testing.F) {
	f.Add("\x00\x01\x00\x0c\x00\x0b\x00\x01\x00\x05\x07\x00a")
	f.Add("\x02\x02\x00\x0d\x00\x04\x01\x00\x0c\x0a\x00\x02xy")
	f.Add("\x0f\xf6\x04\x03\x01\x80\x01")
	f.Add("\x0f\x0c\x08\x00\x00\x00\x00\x00\x00\x00\x80")
	p := jsonPlan(f)
	f.Fuzz(func(t *testing.T, doc string) {
		text, err := ofDocument(p, doc)
		if err != nil {
			require.ErrorIs(t, err, convert.ErrImage)
			return
		}
		require.True(t, utf8.ValidString(text) && json.Valid([]byte(text)), "%q", text)
		require.LessOrEqual(t, len(text), 16*len(doc)+256)
	})
}
