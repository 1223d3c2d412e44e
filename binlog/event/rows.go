package event

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

// Flags of a rows event.
const (
	RowsStmtEnd           uint16 = 1 // last rows event of its statement
	RowsNoForeignKeyCheck uint16 = 2
	RowsRelaxedUnique     uint16 = 4
	RowsCompleteRows      uint16 = 8
	RowsNoCheckConstraint uint16 = 128
)

// RowsInfo is a rows event.
type RowsInfo struct {
	TableID uint64 // of the preceding TABLE_MAP event
	Flags   uint16
	Kind    Type // WriteRowsV1, UpdateRowsV1 or DeleteRowsV1; on decoding also the other versions
	Columns int
	// BitmapBefore tells which columns the images hold: of a DELETE and of the
	// before images of an UPDATE, and (for want of another) of a WRITE.
	// BitmapAfter is for the after images of an UPDATE. One bit per column, first column lowest; nil
	// means all columns.
	BitmapBefore []byte
	BitmapAfter  []byte
	// Rows are the concatenated images: for an UPDATE before and after image in
	// turn. A decoded one shares the event's memory, unless it was compressed.
	Rows []byte
	// Extra is the extra row data of a V2 event (MySQL); decoded only.
	Extra []byte
}

// BeginRows appends a rows event up to where its images begin (info.Rows is not
// looked at); the caller appends these and then calls End.
func BeginRows(dst []byte, m Meta, info *RowsInfo) (out []byte, start int) {
	dst, start = Begin(dst, m, info.Kind)
	dst = appendTableID(dst, info.TableID)
	dst = binary.LittleEndian.AppendUint16(dst, info.Flags)
	dst = appendPacked(dst, uint64(info.Columns))
	dst = appendColumnBitmap(dst, info.Columns, info.BitmapBefore)
	if info.Kind == UpdateRowsV1 {
		dst = appendColumnBitmap(dst, info.Columns, info.BitmapAfter)
	}
	return dst, start
}

// SetRowsFlags replaces the flags of the V1 rows event that starts at dst[start].
// A statement's last rows event is known only when the statement ends.
func SetRowsFlags(dst []byte, start int, flags uint16) {
	binary.LittleEndian.PutUint16(dst[start+HeaderSize+6:], flags)
}

// AppendRows appends a V1 rows event with the images in info.Rows.
func AppendRows(dst []byte, m Meta, info *RowsInfo) []byte {
	dst, start := BeginRows(dst, m, info)
	dst = append(dst, info.Rows...)
	return End(dst, start)
}

func appendColumnBitmap(dst []byte, columns int, bitmap []byte) []byte {
	n := (columns + 7) / 8
	if bitmap != nil {
		return append(dst, bitmap[:n]...)
	}
	for range columns / 8 {
		dst = append(dst, 0xff)
	}
	if columns%8 != 0 {
		dst = append(dst, 1<<(columns%8)-1)
	}
	return dst
}

// decodeRows decodes any rows event; compressed ones are uncompressed.
func decodeRows(t Type, b []byte) (*RowsInfo, error) {
	r := reader{b: b}
	info := &RowsInfo{TableID: r.u48(), Flags: r.u16(), Kind: t}
	v2 := t >= WriteRowsV2 && t <= DeleteRowsV2 || t >= WriteRowsCompressed
	if v2 {
		n := int(r.u16()) // counts itself
		if n < 2 {
			return nil, tooShort(t, b)
		}
		info.Extra = r.take(n - 2)
	}
	columns := r.packed()
	if r.failed || columns > uint64(len(r.b))*8 {
		return nil, tooShort(t, b)
	}
	info.Columns = int(columns)
	info.BitmapBefore = r.take((info.Columns + 7) / 8)
	if info.IsUpdate() {
		info.BitmapAfter = r.take((info.Columns + 7) / 8)
	}
	if r.failed {
		return nil, tooShort(t, b)
	}
	info.Rows = r.b
	if t >= WriteRowsCompressedV1 && t <= DeleteRowsCompressed {
		plain, err := uncompress(r.b)
		if err != nil {
			return nil, fmt.Errorf("compressed rows: %w", err)
		}
		info.Rows = plain
	}
	return info, nil
}

// IsWrite reports whether the images are of inserted rows.
func (r *RowsInfo) IsWrite() bool {
	return r.Kind == WriteRowsV1 || r.Kind == WriteRowsV2 || r.Kind == WriteRowsCompressedV1 || r.Kind == WriteRowsCompressed
}

// IsUpdate reports whether the images are pairs of before and after.
func (r *RowsInfo) IsUpdate() bool {
	return r.Kind == UpdateRowsV1 || r.Kind == UpdateRowsV2 || r.Kind == UpdateRowsCompressedV1 || r.Kind == UpdateRowsCompressed
}

// IsDelete reports whether the images are of deleted rows.
func (r *RowsInfo) IsDelete() bool { return !r.IsWrite() && !r.IsUpdate() }

// RowIter walks over the rows of a rows event:
//
//	it := info.Iter(tableMap)
//	for it.Next() { use(it.Before(), it.After()) }
//	err := it.Err()
type RowIter struct {
	info          *RowsInfo
	columns       []ColumnMeta
	rest          []byte
	before, after []byte
	err           error
}

// Iter starts a walk; t is the event's table map.
func (r *RowsInfo) Iter(t *TableMapInfo) RowIter {
	it := RowIter{info: r, columns: t.Columns, rest: r.Rows}
	if len(t.Columns) != r.Columns {
		it.err = fmt.Errorf("%w: rows of %d columns for a table map of %d", ErrMalformed, r.Columns, len(t.Columns))
	}
	return it
}

// Next goes to the next row. It returns false at the end and on an error.
func (it *RowIter) Next() bool {
	it.before, it.after = nil, nil
	if it.err != nil || len(it.rest) == 0 {
		return false
	}
	if it.info.IsWrite() {
		it.after = it.image(it.info.BitmapBefore)
		return it.err == nil
	}
	it.before = it.image(it.info.BitmapBefore)
	if it.err == nil && it.info.IsUpdate() {
		it.after = it.image(it.info.BitmapAfter)
	}
	return it.err == nil
}

func (it *RowIter) image(present []byte) []byte {
	n, err := ImageSize(it.columns, present, it.rest)
	if err != nil || n == 0 {
		// A row without any column has an empty image; nothing would ever advance.
		if err == nil {
			err = fmt.Errorf("%w: rows event with %d bytes after rows of no columns", ErrMalformed, len(it.rest))
		}
		it.err = err
		return nil
	}
	image := it.rest[:n:n]
	it.rest = it.rest[n:]
	return image
}

// Before is the row as it was: of an UPDATE or DELETE, otherwise nil.
func (it *RowIter) Before() []byte { return it.before }

// After is the row as it became: of a WRITE or UPDATE, otherwise nil.
func (it *RowIter) After() []byte { return it.after }

// Err is the error that ended the walk, nil at the proper end.
func (it *RowIter) Err() error { return it.err }

// ImageSize measures the row image at the start of b. present has one bit per
// column; nil means all.
func ImageSize(cols []ColumnMeta, present, b []byte) (int, error) {
	count := len(cols)
	if present != nil {
		if len(present) < (len(cols)+7)/8 {
			return 0, fmt.Errorf("%w: bitmap of %d bytes for %d columns", ErrMalformed, len(present), len(cols))
		}
		count = 0
		for i := range cols {
			count += int(present[i/8] >> (i % 8) & 1)
		}
	}
	nullBytes := (count + 7) / 8
	if len(b) < nullBytes {
		return 0, fmt.Errorf("%w: row image", ErrShort)
	}
	pos, n := nullBytes, 0
	for i := range cols {
		if present != nil && present[i/8]>>(i%8)&1 == 0 {
			continue
		}
		isNull := b[n/8]>>(n%8)&1 == 1
		n++
		if isNull {
			continue
		}
		size, err := mysql.ValueSize(cols[i].Type, cols[i].Meta, b[pos:])
		if err != nil {
			return 0, valueError(err)
		}
		pos += size
	}
	return pos, nil
}

// valueError makes an error about a packed value one about its event.
func valueError(err error) error {
	if errors.Is(err, mysql.ErrShort) {
		return fmt.Errorf("%w: %w", ErrShort, err)
	}
	return fmt.Errorf("%w: %w", ErrMalformed, err)
}
