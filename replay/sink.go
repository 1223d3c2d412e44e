package replay

import (
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// sink takes the changes of groups, in log order: begin, any number of the others, end. An error ends the replay.
type sink interface {
	// announce says that a write of so many bytes follows, which may be a single large group. It is called between groups.
	announce(bytes uint64) error
	// begin starts a group. info is nil for a local one, which has no GTID.
	begin(info *event.GTIDInfo) error
	// table finds the table of a table map; nil if the sink is to be spared its changes.
	table(info *event.TableMapInfo) (*catalog.Table, error)
	// row takes the change of a row. c and what it refers to are valid until row returns.
	row(c *rowChange) error
	// define takes a change of the catalog. Table maps that follow may be of tables that it makes.
	define(c catalog.Change) error
	// reposition takes a change of gtid_slave_pos.
	reposition(r gtid.Reposition) error
	// execute takes what a MySQL calls the group, setExecuted a change of gtid_executed that is not a group's.
	execute(g gtid.MySQL) error
	setExecuted(c gtid.ExecutedChange) error
	// end completes a group that ends at a place in the log.
	end(at logpos.Pos) error
}

// rowChange is the change of one row, as it is in the log.
type rowChange struct {
	table *catalog.Table
	kind  changeKind
	// before is not there for an insert, after not for a deletion.
	before, after image
	// key is the row's key if the table is keyless; else nil, as the images tell it.
	key []byte
}

type changeKind uint8

const (
	insertion changeKind = iota
	update
	deletion
)

func kindOf(rows *event.RowsInfo) changeKind {
	switch {
	case rows.IsWrite():
		return insertion
	case rows.IsDelete():
		return deletion
	}
	return update
}

// image is a row image: of the columns in the bitmap, of all if that is nil.
type image struct {
	bytes   []byte
	columns []byte
}
