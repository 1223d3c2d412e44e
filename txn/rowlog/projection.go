package rowlog

import (
	"bytes"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// projection makes the partial images of binlog_row_image MINIMAL and NOBLOB.
type projection struct {
	before, after []bool
	bufB, bufA    []byte
}

func (p *projection) project(image Image, tbl *catalog.Table, before, after []byte) (b, a, presentB, presentA []byte, err error) {
	n := len(tbl.Columns)
	p.before, p.after = slices.Grow(p.before[:0], n)[:n], slices.Grow(p.after[:0], n)[:n]
	for i := range n {
		blob := image == ImageNoBlob && isBlob(tbl.Columns[i].Type)
		// Without a primary key a replica finds the row by all of its columns.
		p.before[i] = tbl.Keyless() || image == ImageNoBlob && !blob
		p.after[i] = before == nil && image == ImageMinimal || !blob && image == ImageNoBlob
	}
	for _, k := range tbl.Primary {
		p.before[k.Column] = true
	}
	if after != nil {
		if err := p.changed(tbl, before, after); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if before != nil {
		if p.bufB, err = row.Project(p.bufB[:0], tbl.Columns, before, p.before); err != nil {
			return nil, nil, nil, nil, err
		}
		b, presentB = p.bufB, row.Bitmap(p.before)
	}
	if after != nil {
		if p.bufA, err = row.Project(p.bufA[:0], tbl.Columns, after, p.after); err != nil {
			return nil, nil, nil, nil, err
		}
		a, presentA = p.bufA, row.Bitmap(p.after)
	}
	return b, a, presentB, presentA, nil
}

// changed adds the columns that differ to the after image. An inserted row
// without its NULL blobs would be completed with defaults, so it has all columns.
func (p *projection) changed(tbl *catalog.Table, before, after []byte) error {
	for i := range tbl.Columns {
		if p.after[i] {
			continue
		}
		if before == nil {
			p.after[i] = true
			continue
		}
		x, xok, err := row.Packed(tbl.Columns, before, i)
		if err != nil {
			return err
		}
		y, yok, err := row.Packed(tbl.Columns, after, i)
		if err != nil {
			return err
		}
		p.after[i] = xok != yok || !bytes.Equal(x, y)
	}
	return nil
}

func isBlob(t byte) bool {
	switch t {
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB,
		mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_GEOMETRY, mysql.MYSQL_TYPE_JSON:
		return true
	}
	return false
}
