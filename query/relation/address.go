package relation

import (
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// addresses are the types of columns that images have as binary strings of a fixed length (catalog.ColumnDef.SQLType). They are shown as texts of
// latin1.
var addresses = map[string]types.Kind{"uuid": types.UUID, "inet4": types.Inet4, "inet6": types.Inet6}

// IsAddress reports whether a type of a column is UUID, INET4 or INET6.
func IsAddress(sqlType string) bool { return addresses[sqlType] != types.Null }

var latin1, _ = charset.SetByName("latin1")

func (f *Facts) address(k types.Kind) {
	f.Type, f.Collation, f.Length = mysql.MYSQL_TYPE_STRING, latin1.Default().ID(), eval.AddressType(k).Length
	f.Flags |= mysql.UNSIGNED_FLAG | mysql.BINARY_FLAG
}
