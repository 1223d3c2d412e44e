package admin

import (
	"context"
	"errors"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/store/shipment"
)

// cloneColumns are those of SHOW DURAMEN CLONE; package shipment says what is in them.
func cloneColumns() []result.Column {
	binary := func(name string, kind byte, length uint32, flags uint16) result.Column {
		return result.Column{Name: name, Type: kind, Length: length, Charset: mysql.Collation_binary, Flags: flags | mysql.BINARY_FLAG | mysql.NOT_NULL_FLAG}
	}
	return []result.Column{
		binary("File", mysql.MYSQL_TYPE_VAR_STRING, 1024, 0), binary("Offset", mysql.MYSQL_TYPE_LONGLONG, 21, mysql.UNSIGNED_FLAG),
		binary("Data", mysql.MYSQL_TYPE_LONG_BLOB, shipment.ChunkBytes, mysql.BLOB_FLAG), binary("Crc32", mysql.MYSQL_TYPE_LONG, 11, mysql.UNSIGNED_FLAG),
	}
}

// clone is SHOW DURAMEN CLONE. The export lasts as long as the statement: a client that goes away, KILL and the end of the server end it. Its rows are sent as
// they are made, so that a slow client costs the memory of one.
func (s Session) clone(ctx context.Context, sink result.Sink, more bool) (err error) {
	x, err := store.NewExport(ctx, s.Engine.Store)
	switch {
	case errors.Is(err, store.ErrExporting):
		return mysqlerr.New(mysqlerr.ErrorWhenExecutingCommand, "SHOW DURAMEN CLONE", "another one is running").WithCause(err)
	case errors.Is(err, store.ErrRestless):
		return mysqlerr.New(mysqlerr.ErrorWhenExecutingCommand, "SHOW DURAMEN CLONE", "definitions change all the time").WithCause(err)
	case errors.Is(err, store.ErrNoExport):
		return mysqlerr.NotYet("SHOW DURAMEN CLONE of this server: " + err.Error()).WithCause(err)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	cols := cloneColumns()
	if err := sink.Columns(cols); err != nil {
		return err
	}
	values := result.NewValues(cols)
	err = shipment.Send(ctx, x, s.Engine.Globals.Str("version"), func(r *shipment.Row) error {
		values.Set(0, result.Text([]byte(r.File)))
		values.Set(1, result.Unsigned(r.Offset))
		values.Set(2, result.Bytes(r.Data))
		values.Set(3, result.Unsigned(uint64(r.Sum)))
		return sink.Row(values)
	})
	if err != nil {
		return err
	}
	if err := x.Close(); err != nil { // before the client hears of the end, and begins another one
		return err
	}
	return sink.EndRows(s.EndStatus(more))
}
