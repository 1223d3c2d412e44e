package catalog

// TableDef is the complete definition of a table, as it is stored in the
// engine and in the log. It is plain data; Table is its compiled form.
// Names are in the case in which they were given; look-ups ignore case.
type TableDef struct {
	ID      uint32 // key space in the engine and table id in TABLE_MAP events; never reused
	DB      string
	Name    string
	Engine  string // "InnoDB", "RocksDB", ...: as SHOW CREATE TABLE prints it
	Comment string `json:",omitempty"`
	// Collation is the table's default collation, by MariaDB's name.
	Collation   string
	Columns     []ColumnDef
	Primary     []IndexPart     `json:",omitempty"` // empty: rows are kept by a hidden row id
	Indexes     []IndexDef      `json:",omitempty"` // secondary indexes
	ForeignKeys []ForeignKeyDef `json:",omitempty"`
	Checks      []CheckDef      `json:",omitempty"`
	// AutoIncrement is the value given by CREATE/ALTER TABLE ... AUTO_INCREMENT=n;
	// the running counter lives in the engine beside the rows.
	AutoIncrement uint64 `json:",omitempty"`
	// NextIndexID is the id that the next index of this table gets; ids are never reused.
	NextIndexID uint32
	// CreatedAt is in Unix microseconds.
	CreatedAt int64             `json:",omitempty"`
	Options   map[string]string `json:",omitempty"` // further table options
	// Partitioning is nil of a table without partitions. Tables of earlier versions that were made with PARTITION BY have none.
	Partitioning *PartitioningDef `json:",omitempty"`
}

// ColumnDef is one column: its SQL side and its binlog side.
type ColumnDef struct {
	Name string
	// SQLType is the column type as SHOW CREATE TABLE prints it, without
	// collation: "int(11) unsigned", "varchar(20)", "enum('a','b')".
	SQLType  string
	Nullable bool
	// Default, OnUpdate and Generated are SQL expressions ("" for none).
	// DefaultLiteral says that Default is a literal rather than an expression in parentheses.
	Default        string `json:",omitempty"`
	HasDefault     bool   `json:",omitempty"`
	DefaultLiteral bool   `json:",omitempty"`
	// DefaultText is what definitions show for Default: the literal of a TEXT, BLOB or JSON column as it was written, which
	// is Default's text if it is empty.
	DefaultText string `json:",omitempty"`
	// DefaultMoment is the moment of a TIMESTAMP's literal default, in Unix microseconds: Default has its text in UTC, and a session
	// shows it in its time zone. It is 0 of others; and of what versions before stored, whose moment depends on the session.
	DefaultMoment int64  `json:",omitempty"`
	OnUpdate      string `json:",omitempty"`
	Generated     string `json:",omitempty"`
	Virtual       bool   `json:",omitempty"` // VIRTUAL rather than STORED
	AutoIncrement bool   `json:",omitempty"`
	Comment       string `json:",omitempty"`
	Hidden        bool   `json:",omitempty"` // hidden system column
	Invisible     bool   `json:",omitempty"` // INVISIBLE: only there when named
	Extra         string `json:",omitempty"`

	// The binlog side, as in TABLE_MAP events.
	Type       byte     // MYSQL_TYPE_*
	Meta       uint16   // type dependent metadata
	Unsigned   bool     `json:",omitempty"`
	Collation  uint16   // collation id; 63 for binary and for non-strings
	EnumValues []string `json:",omitempty"` // members of ENUM and SET
}

// IndexPart is one column of an index.
type IndexPart struct {
	Column int // ordinal in TableDef.Columns
	Prefix int `json:",omitempty"` // characters (bytes for binary), 0 = whole column
	// Padded is set for CHAR columns of collations that do not pad: to how many characters their texts are followed by spaces, which
	// count. Indexes of earlier versions lack it: there they do not.
	Padded int `json:",omitempty"`
}

// Fulltext is the kind of an index that is its definition only: package query/fulltext searches the rows.
const Fulltext = "FULLTEXT"

// IndexDef is a secondary index.
type IndexDef struct {
	ID     uint32
	Name   string
	Parts  []IndexPart
	Unique bool `json:",omitempty"`
	// Hash is what MariaDB calls USING HASH: the entries have digests of long texts, so that these may be of any length. The index finds equal
	// values, in no order. Indexes of earlier versions have all of a text, as long as it fits into a key.
	Hash    bool   `json:",omitempty"`
	Comment string `json:",omitempty"`
	// Kind is "" for an ordinary index, "SPATIAL" or Fulltext otherwise.
	Kind string `json:",omitempty"`
	// Options carries what only the SQL layer understands (full-text side tables ...).
	Options map[string]string `json:",omitempty"`
}

// ForeignKeyDef is a foreign key declared by its (child) table.
type ForeignKeyDef struct {
	Name          string
	Columns       []string
	ParentDB      string
	ParentTable   string
	ParentColumns []string
	OnUpdate      string
	OnDelete      string
	Resolved      bool
}

// CheckDef is a CHECK constraint.
type CheckDef struct {
	Name       string
	Expression string
	Enforced   bool
	// Column is the column that the constraint was declared with, "" for one of the table. It bears
	// the column's name, and goes when the column is dropped or declared anew.
	Column string `json:",omitempty"`
}

// DatabaseDef is a database (schema).
type DatabaseDef struct {
	Name      string
	Collation string
	Comment   string `json:",omitempty"`
}

// ObjectDef is any other named thing: a view, trigger, procedure, event, or
// the privilege tables. Body is opaque to the catalog.
type ObjectDef struct {
	Kind string // "view", "trigger", "procedure", "event", "privileges", "variables"
	DB   string // "" for server-wide objects
	Name string
	Body []byte
}
