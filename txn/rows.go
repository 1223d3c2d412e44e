package txn

import (
	"context"

	"github.com/duramendb/duramen/catalog"
)

// Rows is where the rows of a table are: a Txn, or what keeps those of a temporary table, which nobody else sees. The methods are those of Txn.
type Rows interface {
	Counter
	Get(ctx context.Context, tbl *catalog.Table, rowKey []byte, mode ReadMode, wait WaitPolicy) (image []byte, ok bool, err error)
	Walk(ctx context.Context, spec ScanSpec) (Walk, error)
	Insert(ctx context.Context, tbl *catalog.Table, image []byte) error
	Update(ctx context.Context, tbl *catalog.Table, rowKey, before, after []byte) error
	Delete(ctx context.Context, tbl *catalog.Table, rowKey, before []byte) error
}

// Walk goes over rows. The methods are those of Cursor.
type Walk interface {
	Next() bool
	Key() []byte
	RowKey() []byte
	Image() []byte
	Err() error
	Close() error
}

var _ Rows = (*Txn)(nil)

// Walk is Scan.
func (t *Txn) Walk(ctx context.Context, spec ScanSpec) (Walk, error) {
	c, err := t.Scan(ctx, spec)
	if err != nil {
		return nil, err
	}
	return c, nil
}
