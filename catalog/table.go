package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// ErrCorruptKey is wrapped by errors about keys and entries that cannot have
// been written for the table they were found under.
var ErrCorruptKey = errors.New("catalog: malformed key")

// Collations finds the sort-key function of a collation, and whether the
// collation pads with spaces. A nil function means comparison by bytes.
type Collations func(id uint16) (weight row.WeightFunc, padSpace bool)

// Table is a compiled table definition. It is immutable and safe for
// concurrent use; so must the TableDef be that it was made from.
type Table struct {
	// Def is the definition. It must not be changed.
	Def *TableDef
	// Columns describes the row images of the table.
	Columns []row.Column
	// Primary are the parts of the primary key; empty if rows are kept by a
	// hidden row id.
	Primary []row.KeyPart
	// Indexes are the secondary indexes, in the order of Def.Indexes.
	Indexes []Index
	// Ranked are the places of the indexes in the order in which keys are looked at.
	Ranked []int
	// AutoIncrement is the ordinal of the AUTO_INCREMENT column, or -1.
	AutoIncrement int
	// Local says that replicas do not have the table: its rows are logged for
	// redo only. See OptionLocal.
	Local bool

	rowsPrefix []byte
	mapInfo    [event.RowMetadataFull + 1]atomic.Pointer[event.TableMapInfo]
}

// Index is a compiled secondary index.
type Index struct {
	Def    *IndexDef
	Parts  []row.KeyPart
	Unique bool
	// Stored says that the engine keeps entries of this index. FULLTEXT and
	// SPATIAL indexes are not stored: they are the SQL layer's business.
	Stored bool

	prefix []byte
}

// OptionLocal in TableDef.Options, with any value, makes a table Local: one
// that belongs to this server's implementation of something that a replica
// implements in its own way.
const OptionLocal = "local"

// NewTable compiles a definition. coll may be nil: strings then compare by bytes.
func NewTable(def *TableDef, coll Collations) (*Table, error) {
	if def.ID == 0 {
		return nil, fmt.Errorf("catalog: table %s.%s has no id", def.DB, def.Name)
	}
	t := &Table{Def: def, AutoIncrement: -1, Local: def.Options[OptionLocal] != "", rowsPrefix: AppendPrefix(nil, def.ID, RowsIndex)}
	t.Columns = make([]row.Column, len(def.Columns))
	for i := range def.Columns {
		c := &def.Columns[i]
		if c.AutoIncrement {
			t.AutoIncrement = i
		}
		t.Columns[i] = CompileColumn(c, coll)
	}
	var err error
	if t.Primary, err = t.compileParts(def.Primary); err != nil {
		return nil, err
	}
	t.Indexes = make([]Index, len(def.Indexes))
	for i := range def.Indexes {
		d := &def.Indexes[i]
		if d.ID == RowsIndex {
			return nil, fmt.Errorf("catalog: index %s of %s.%s has no id", d.Name, def.DB, def.Name)
		}
		parts, err := t.compileParts(d.Parts)
		if err != nil {
			return nil, err
		}
		for at := range parts {
			parts[at].Digest = d.Hash
		}
		t.Indexes[i] = Index{Def: d, Parts: parts, Unique: d.Unique, Stored: d.Kind == "",
			prefix: AppendPrefix(nil, def.ID, d.ID)}
	}
	t.Ranked = ranked(def)
	return t, nil
}

// uuidType is the only type of binary strings that do not compare by their bytes: they are in images as a BINARY(16)'s are.
const uuidType = "uuid"

// CompileColumn makes the row-image side of a column definition.
func CompileColumn(c *ColumnDef, coll Collations) row.Column {
	col := row.Column{Name: c.Name, Type: c.Type, Meta: c.Meta, Nullable: c.Nullable,
		Unsigned: c.Unsigned, Collation: c.Collation, EnumValues: c.EnumValues}
	if coll != nil {
		col.Weight, col.PadSpace = coll(c.Collation)
	}
	if c.SQLType == uuidType {
		col.Weight, col.PadSpace = row.UUIDWeight, false
	}
	return col
}

func (t *Table) compileParts(parts []IndexPart) ([]row.KeyPart, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	out := make([]row.KeyPart, len(parts))
	for i, p := range parts {
		if p.Column < 0 || p.Column >= len(t.Def.Columns) {
			return nil, fmt.Errorf("catalog: %s.%s: key part names column %d of %d", t.Def.DB, t.Def.Name, p.Column, len(t.Def.Columns))
		}
		out[i] = row.KeyPart{Column: p.Column, PrefixLen: p.Prefix, Padded: p.Padded}
	}
	return out, nil
}

// ID is the table's id.
func (t *Table) ID() uint32 { return t.Def.ID }

// Keyless reports whether rows are kept by a hidden row id.
func (t *Table) Keyless() bool { return len(t.Primary) == 0 }

// Span is the range of keys of an index by its place in Indexes; -1 means the rows.
func (t *Table) Span(index int) (lower, upper []byte) {
	p := t.Prefix(index)
	return p, PrefixEnd(p)
}

// Prefix is the key prefix of an index by its place in Indexes; -1 means the
// rows. Bounds of a scan are this prefix followed by encoded key parts. The
// caller gets a slice of its own.
func (t *Table) Prefix(index int) []byte {
	if index < 0 {
		return append(make([]byte, 0, 64), t.rowsPrefix...)
	}
	return append(make([]byte, 0, 64), t.Indexes[index].prefix...)
}

// Parts are the key parts of an index by its place in Indexes; -1 means the primary key.
func (t *Table) Parts(index int) []row.KeyPart {
	if index < 0 {
		return t.Primary
	}
	return t.Indexes[index].Parts
}

// IndexByName returns the place in Indexes of the named index, or -1.
func (t *Table) IndexByName(name string) int {
	for i := range t.Indexes {
		if foldEqual(t.Indexes[i].Def.Name, name) {
			return i
		}
	}
	return -1
}

// ColumnByName returns the ordinal of the named column, or -1.
func (t *Table) ColumnByName(name string) int {
	for i := range t.Def.Columns {
		if foldEqual(t.Def.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// PrimaryKey appends the full key of the row with this image. The table must
// not be keyless.
func (t *Table) PrimaryKey(dst, image []byte) ([]byte, error) {
	dst = append(dst, t.rowsPrefix...)
	key, _, err := row.AppendKey(dst, t.Columns, t.Primary, image)
	if err != nil {
		return nil, fmt.Errorf("primary key of %s.%s: %w", t.Def.DB, t.Def.Name, err)
	}
	return key, nil
}

// RowIDKey appends the full key of the row with this hidden row id.
func (t *Table) RowIDKey(dst []byte, rowID uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, t.rowsPrefix...), rowID)
}

// RowID is the hidden row id in a row key of a keyless table.
func (t *Table) RowID(rowKey []byte) (uint64, error) {
	if len(rowKey) != PrefixLen+8 {
		return 0, fmt.Errorf("%w: row id of %s.%s: %x", ErrCorruptKey, t.Def.DB, t.Def.Name, rowKey)
	}
	return binary.BigEndian.Uint64(rowKey[PrefixLen:]), nil
}

// MapInfo is the table's TABLE_MAP description with so much metadata, computed once. It must not be changed.
func (t *Table) MapInfo(metadata event.RowMetadata) *event.TableMapInfo {
	if info := t.mapInfo[metadata].Load(); info != nil {
		return info
	}
	info := &event.TableMapInfo{TableID: uint64(t.Def.ID), Schema: t.Def.DB, Table: t.Def.Name, Columns: ColumnMeta(t.Columns), Metadata: metadata}
	for i := range t.Def.Columns {
		info.Columns[i].GeometryType = geometryType(t.Def.Columns[i].SQLType)
	}
	for _, p := range t.Def.Primary {
		info.PrimaryKey = append(info.PrimaryKey, event.KeyColumn{Column: p.Column, Prefix: p.Prefix})
	}
	t.mapInfo[metadata].Store(info)
	return info
}

// ColumnMeta is what a table map says of columns, but for the types of geometries.
func ColumnMeta(cols []row.Column) []event.ColumnMeta {
	out := make([]event.ColumnMeta, len(cols))
	for i := range cols {
		c := &cols[i]
		out[i] = event.ColumnMeta{
			Type: c.Type, Meta: c.Meta, Nullable: c.Nullable, Unsigned: c.Unsigned,
			Charset: c.Collation, Name: c.Name, Values: c.EnumValues,
		}
		if c.Type == mysql.MYSQL_TYPE_GEOMETRY {
			out[i].Charset = mysql.Collation_binary
		}
	}
	return out
}

// geometries are the types of geometries by the numbers that the log has for them.
var geometries = []string{"geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection"}

func geometryType(sqlType string) byte {
	name, _, _ := strings.Cut(strings.ToLower(sqlType), " ")
	return byte(max(slices.Index(geometries, name), 0))
}
