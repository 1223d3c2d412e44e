package convert

import (
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
)

// converter appends what a column of this server keeps of a packed value of the primary's column. A number in wrong says that it is another value then,
// and which error that would be.
type converter func(dst, value []byte) (out []byte, wrong uint16, err error)

// column is a column of this server that the primary has, too.
type column struct {
	convert converter // nil: the bytes as they are
	notNull bool      // the primary's may be NULL, this server's may not
}

// Plan makes images of the primary's table those of this server's. It is immutable and safe for concurrent use.
type Plan struct {
	table    *catalog.Table
	source   []event.ColumnMeta
	columns  []column // as many as both tables have
	lossy    bool
	identity bool
	known    []byte // bitmap of the columns that both have
}

// Compile compares a table map with this server's table. A column that cannot be converted is a *TypeError, and the first of them is named. Neither
// argument may be changed while the plan is used.
func Compile(info *event.TableMapInfo, t *catalog.Table, c Conversions) (*Plan, error) {
	p := &Plan{table: t, source: info.Columns, lossy: c&AllLossy != 0, identity: len(info.Columns) == len(t.Columns)}
	p.columns = make([]column, min(len(info.Columns), len(t.Columns)))
	for i := range p.columns {
		from, to := &info.Columns[i], &t.Def.Columns[i]
		convert, ok := converterOf(from, to, info.Metadata, c)
		if !ok {
			return nil, &TypeError{Column: i, DB: t.Def.DB, Table: t.Def.Name, From: TypeName(from, to), To: ColumnTypeName(to)}
		}
		p.columns[i] = column{convert: convert, notNull: from.Nullable && !to.Nullable}
		p.identity = p.identity && convert == nil && !p.columns[i].notNull
	}
	p.known = make([]byte, bitmapSize(len(t.Columns)))
	for i := range p.columns {
		p.known[i/8] |= 1 << (i % 8)
	}
	return p, nil
}

// Full reports whether an event has all columns of this server's table. present is the event's bitmap of columns, nil for all.
func (p *Plan) Full(present []byte) bool {
	if len(p.columns) < len(p.table.Columns) {
		return false
	}
	for i := range p.columns {
		if !has(present, i) {
			return false
		}
	}
	return true
}

// Same reports whether an image, of which the columns in present are there, is a full image of this server's table as it is. The values are not looked at:
// it is for images whose values were passed (event.RowIter).
func (p *Plan) Same(image, present []byte) bool {
	if !p.identity || len(image) < bitmapSize(len(p.columns)) || !p.Full(present) {
		return false
	}
	n := len(p.columns)
	odd := byte(0xff << (n % 8)) // the bits that are of no column
	return n%8 == 0 || image[n/8]&odd == odd
}

// AutoIncrement is the AUTO_INCREMENT column of this server's table, if an event with these columns lacks it: what Insert makes has a 0 there, which the
// caller replaces by the next value. ok is false if there is none, or the event has it. present is the event's bitmap of columns, nil for all.
func (p *Plan) AutoIncrement(present []byte) (column int, ok bool) {
	column = p.table.AutoIncrement
	if column < 0 || column < len(p.columns) && has(present, column) {
		return 0, false
	}
	return column, true
}

// Generated reports whether a column is a generated one that an event lacks, with update after the change of a row: Insert leaves NULL there, After what the row
// had, and the caller computes it. MariaDB leaves VIRTUAL columns out of images that are not full, and of STORED ones what has not changed.
func (p *Plan) Generated(column int, present []byte, update bool) bool {
	def := &p.table.Def.Columns[column]
	switch {
	case def.Generated == "":
		return false
	case column >= len(p.columns):
		return true
	}
	return !has(present, column) && (def.Virtual || !update)
}

// Insert appends a full image of this server's table. present is the event's bitmap of columns, nil for all. Columns that are not there get their constant
// defaults; those without a constant one get NULL, or, if they cannot be NULL, 0, an empty string, or the first member of an ENUM.
//
// Errors are ErrImage, *ValueError and *DefaultError; dst is then returned as it was.
func (p *Plan) Insert(dst, image, present []byte) ([]byte, error) {
	return p.full(dst, image, present, func(dst []byte, column int) ([]byte, bool, error) { return p.appendDefault(dst, column) })
}

// After appends a full image of this server's table, of a row that is here and was changed there: columns that the event lacks are as in current,
// a full image of the row as it is here. Errors are ErrImage and *ValueError; dst is then returned as it was.
func (p *Plan) After(dst, image, present, current []byte) ([]byte, error) {
	own := walk{image: current}
	if err := own.begin(len(p.table.Columns)); err != nil {
		return dst, err
	}
	at := 0 // the column that own comes to next
	return p.full(dst, image, present, func(dst []byte, column int) ([]byte, bool, error) {
		for {
			value, null, err := own.next(p.table.Columns[at].Type, p.table.Columns[at].Meta)
			at++
			if err != nil || at > column {
				return append(dst, value...), null, err
			}
		}
	})
}

// full appends a full image, in which absent appends the columns that image has not. It is asked for columns in ascending order.
func (p *Plan) full(dst, image, present []byte, absent func(dst []byte, column int) (out []byte, null bool, err error)) ([]byte, error) {
	start := len(dst)
	w, err := p.begin(image, present)
	if err != nil {
		return dst, err
	}
	dst = appendNoNulls(dst, len(p.table.Columns))
	for i := range p.table.Columns {
		var null bool
		if i < len(p.columns) && has(present, i) {
			dst, null, err = p.appendNext(dst, &w, i)
		} else {
			dst, null, err = absent(dst, i)
		}
		if err != nil {
			return dst[:start], err
		}
		if null {
			dst[start+i/8] |= 1 << (i % 8)
		}
	}
	return dst, nil
}

// Before appends a partial image of this server's table, of the columns that the event has, and tells in a bitmap which these are, to be used like that of
// a rows event; it must not be changed. Errors are ErrImage and *ValueError; dst is then returned as it was.
func (p *Plan) Before(dst, image, present []byte) (out, known []byte, err error) {
	w, err := p.begin(image, present)
	if err != nil {
		return dst, nil, err
	}
	known, count := p.known, 0
	for i := range p.columns {
		if has(present, i) {
			count++
		}
	}
	if count < len(p.columns) {
		known = make([]byte, len(p.known))
		for i := range p.columns {
			if has(present, i) {
				known[i/8] |= 1 << (i % 8)
			}
		}
	}
	start := len(dst)
	dst = appendNoNulls(dst, count)
	n := 0
	for i := range p.columns {
		if !has(present, i) {
			continue
		}
		var null bool
		if dst, null, err = p.appendNext(dst, &w, i); err != nil {
			return dst[:start], nil, err
		}
		if null {
			dst[start+n/8] |= 1 << (n % 8)
		}
		n++
	}
	return dst, known, nil
}

// begin starts a walk over the primary's values.
func (p *Plan) begin(image, present []byte) (walk, error) {
	count := len(p.source)
	if present != nil {
		if len(present) < bitmapSize(len(p.source)) {
			return walk{}, fmt.Errorf("%w: bitmap of %d octets for %d columns", ErrImage, len(present), len(p.source))
		}
		count = 0
		for i := range p.source {
			if has(present, i) {
				count++
			}
		}
	}
	w := walk{image: image}
	return w, w.begin(count)
}

// appendNext appends the next value of an image, which is of a column that both tables have.
func (p *Plan) appendNext(dst []byte, w *walk, i int) (out []byte, null bool, err error) {
	value, null, err := w.next(p.source[i].Type, p.source[i].Meta)
	if err != nil {
		return dst, false, err
	}
	c := &p.columns[i]
	switch {
	case null && !c.notNull:
		return dst, true, nil
	case null && (!p.lossy || p.table.Def.Columns[i].Generated != ""):
		return dst, false, p.wrong(i, wrongNull)
	case null:
		return p.appendDefault(dst, i)
	case c.convert == nil:
		return append(dst, value...), false, nil
	}
	out, wrong, err := c.convert(dst, value)
	switch {
	case err != nil:
		return dst, false, fmt.Errorf("column '%s' of table '%s.%s': %w", p.table.Def.Columns[i].Name, p.table.Def.DB, p.table.Def.Name, err)
	case wrong != 0 && !p.lossy:
		return dst, false, p.wrong(i, wrong)
	}
	return out, false, nil
}

func (p *Plan) wrong(column int, number uint16) error {
	return &ValueError{DB: p.table.Def.DB, Table: p.table.Def.Name, Column: p.table.Def.Columns[column].Name, number: number}
}

// walk goes over the values of an image.
type walk struct {
	image []byte
	n     int // values that were passed
	pos   int
}

// begin checks that there is a bitmap of the NULLs among so many values.
func (w *walk) begin(count int) error {
	w.pos = bitmapSize(count)
	if len(w.image) < w.pos {
		return fmt.Errorf("%w: %d octets for %d columns", ErrImage, len(w.image), count)
	}
	return nil
}

// next is the next value with the length before it. There must be one.
func (w *walk) next(typ byte, meta uint16) (value []byte, null bool, err error) {
	null = w.image[w.n/8]>>(w.n%8)&1 == 1
	w.n++
	if null {
		return nil, true, nil
	}
	size, err := mysql.ValueSize(typ, meta, w.image[w.pos:])
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrImage, err)
	}
	value = w.image[w.pos : w.pos+size]
	w.pos += size
	return value, false, nil
}

func bitmapSize(columns int) int { return (columns + 7) / 8 }

// has says that a bitmap has a column; nil has all.
func has(bitmap []byte, column int) bool {
	return bitmap == nil || bitmap[column/8]>>(column%8)&1 == 1
}

// appendNoNulls appends the NULL bitmap of an image without NULLs, its last bits set as MariaDB sets them.
func appendNoNulls(dst []byte, columns int) []byte {
	for range columns / 8 {
		dst = append(dst, 0)
	}
	if odd := columns % 8; odd != 0 {
		dst = append(dst, 0xff<<odd&0xff)
	}
	return dst
}
