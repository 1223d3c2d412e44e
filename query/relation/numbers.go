package relation

import (
	"math"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
)

// NumbersID is the id of all tables of numbers. The catalog does not come so far.
const NumbersID = math.MaxUint32

// OfNumbers is a table of MariaDB's engine SEQUENCE, which has numbers in the column seq. It is in no catalog.
func OfNumbers(db, name string) (*Table, error) {
	t, err := catalog.NewTable(&catalog.TableDef{
		ID: NumbersID, DB: db, Name: name, Engine: "SEQUENCE",
		Columns: []catalog.ColumnDef{
			{Name: "seq", SQLType: "bigint(20) unsigned", Type: mysql.MYSQL_TYPE_LONGLONG, Unsigned: true, Collation: mysql.Collation_binary},
		},
		Primary: []catalog.IndexPart{{}},
	}, nil)
	if err != nil {
		return nil, err
	}
	return Of(t), nil
}
