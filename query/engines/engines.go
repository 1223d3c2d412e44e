// Package engines knows the storage engines of a server by the names that SQL has for them. Which there are, the store
// says; what each is called, and what stands in for an engine that only others have, is written here and nowhere else.
package engines

import (
	"strings"

	"github.com/duramendb/duramen/engine"
)

// Engine is a storage engine under one of its names.
type Engine struct {
	// Name is what SHOW CREATE TABLE says, and definitions keep.
	Name string
	// Comment is what SHOW ENGINES says.
	Comment string
	Stored  engine.Engine
	// Foreign says that no MariaDB has an engine of the name: replicas must not get it.
	Foreign bool
	// Memory says that it is MariaDB's MEMORY: rows do not outlive the server, and there are no BLOB, TEXT, geometry and generated
	// columns, no full-text indexes and no foreign keys. Replicas have theirs under this name, so ours lacks what that lacks.
	Memory bool
}

// InnoDB is the name of the first engine of a server, whatever it is.
const InnoDB = "InnoDB"

// word is what SQL calls an engine.
type word struct {
	name, comment string
	aliases       []string // that no MariaDB has, unless theirs
	theirs        bool     // name and aliases are MariaDB's
	memory        bool
}

// words are those of the engines that are part of Duramen, by Engine.Name in lower case. MariaDB has an engine ROCKSDB,
// but not under the name LSM.
var words = map[string]word{
	"rocksdb": {name: "ROCKSDB", comment: "Log-structured merge tree: for many writes, and for tables larger than memory", aliases: []string{"LSM"}},
	"btree":   {name: "BTREE", comment: "B+ tree: for many reads"},
	"memory": {name: "MEMORY", comment: "Rows in memory, which a restart empties; for temporary data", aliases: []string{"HEAP"},
		theirs: true, memory: true},
}

const innoDBComment = "The default engine: transactions, row-level locking, foreign keys; its redo log is the binary log"

// byDefault are engines of MariaDB whose tables the default engine takes.
var byDefault = map[string]bool{"myisam": true, "aria": true, "csv": true, "archive": true, "mrg_myisam": true}

// byOther are engines that another one stands in for, if it is there.
var byOther = map[string]string{"tokudb": "ROCKSDB"}

// List is the engines of a server. It does not change.
type List struct {
	all    []*Engine
	byName map[string]*Engine // by names in lower case
}

// Of lists engines, of which the first is InnoDB.
func Of(stored []engine.Engine) *List {
	l := &List{byName: map[string]*Engine{}}
	l.add(&Engine{Name: InnoDB, Comment: innoDBComment, Stored: stored[0]})
	for _, s := range stored {
		w, known := words[strings.ToLower(s.Name())]
		if !known {
			w = word{name: s.Name()}
		}
		e := &Engine{Name: w.name, Comment: w.comment, Stored: s, Memory: w.memory, Foreign: !w.theirs && w.name != "ROCKSDB"}
		l.add(e)
		for _, name := range w.aliases {
			alias := *e
			alias.Foreign = !w.theirs
			l.byName[strings.ToLower(name)] = &alias
		}
	}
	return l
}

func (l *List) add(e *Engine) {
	name := strings.ToLower(e.Name)
	if l.byName[name] != nil {
		return // the first engine is called InnoDB
	}
	l.all = append(l.all, e)
	l.byName[name] = e
}

// All are the engines by their names, InnoDB first. An engine has two of them if it is the first.
func (l *List) All() []*Engine { return l.all }

// Default is InnoDB.
func (l *List) Default() *Engine { return l.all[0] }

// Named finds an engine by one of its names; nil if there is none.
func (l *List) Named(name string) *Engine { return l.byName[strings.ToLower(name)] }

// Of is the engine that a definition names. Definitions name engines that are there: those of others are refused when
// the store opens.
func (l *List) Of(name string) *Engine {
	if e := l.Named(name); e != nil {
		return e
	}
	return l.Default()
}

// Replaced tells whether another engine stands in for one of that name, which is not there; nil is the default one.
func (l *List) Replaced(name string) (by *Engine, ok bool) {
	name = strings.ToLower(name)
	if other, known := byOther[name]; known {
		by = l.Named(other)
		return by, by != nil
	}
	return nil, byDefault[name]
}
