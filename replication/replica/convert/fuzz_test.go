package convert_test

import (
	"testing"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/replication/replica/convert"
	"github.com/duramendb/duramen/row"
)

// FuzzImages takes types of the recorded ones, and any bytes for images and bitmaps: what comes out is an image of this server's table, or an error.
func FuzzImages(f *testing.F) {
	pairs := recorded(f)
	for i := range pairs {
		if len(pairs[i].from.values) > 0 && pairs[i].answers[3] != "1677" {
			f.Add(uint16(i), uint16(0), byte(3), plain(pairs[i].from.values[0]), []byte{1}, plain(pairs[i].to.values[0]))
		}
	}
	f.Add(uint16(0), uint16(80), byte(3|4), []byte{0xfc, 1, 2}, []byte{3}, []byte{0xfc, 1, 2})
	tables := map[[2]string]*catalog.Table{}
	f.Fuzz(func(t *testing.T, a, b uint16, modes byte, image, present, current []byte) {
		first, second := pairs[int(a)%len(pairs)], pairs[int(b)%len(pairs)]
		info := &event.TableMapInfo{Metadata: event.RowMetadata(modes >> 2 % 3), Columns: []event.ColumnMeta{metaOf(&first.from.column), metaOf(&second.from.column)}}
		tbl := tables[[2]string{first.to.name, second.to.name}]
		if tbl == nil {
			tbl = table(t, first.to.column, second.to.column)
			tables[[2]string{first.to.name, second.to.name}] = tbl
		}
		if modes&0x10 != 0 { // metadata that nobody has asked whether it makes sense
			info.Columns[0].Type, info.Columns[0].Meta = byte(a), b
		}
		p, err := convert.Compile(info, tbl, convert.Conversions(modes&3))
		if err != nil {
			return
		}
		if modes&0x20 != 0 {
			present = nil
		}
		check := func(what string, known, out []byte, err error) {
			if err != nil {
				if len(out) != 0 {
					t.Fatalf("%s: %x beside %v", what, out, err)
				}
				return
			}
			if n, err := row.Size(tbl.Columns, known, out); err != nil || n != len(out) {
				t.Fatalf("%s of %v: %x has %d octets: %v", what, info, out, n, err)
			}
		}
		out, err := p.Insert(nil, image, present)
		check("Insert", nil, out, err)
		out, known, err := p.Before(nil, image, present)
		check("Before", known, out, err)
		out, err = p.After(nil, image, present, current)
		check("After", nil, out, err)
	})
}
