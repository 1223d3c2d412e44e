package tables

import "github.com/dolthub/go-mysql-server/sql"

// Images turns rows of a table into images and back, in the time zone of the statement.
type Images struct{ e editor }

// ImagesOf is for the rows of a table, all columns of it, in a statement.
func ImagesOf(ctx *sql.Context, t *Table) *Images {
	full := *t
	full.columns = projection{}
	return &Images{editor{Table: &full, zone: t.v.ZoneOf(ctx)}}
}

// Columns is the number of columns.
func (m *Images) Columns() int { return len(m.e.v.Table.Columns) }

// Row is the row of an image.
func (m *Images) Row(_ *sql.Context, image []byte) (sql.Row, error) {
	return m.e.v.Decode(image, m.e.v.All, m.e.zone)
}

// Image is the image of a row.
func (m *Images) Image(ctx *sql.Context, r sql.Row) ([]byte, error) { return m.e.imageOf(ctx, nil, r) }
