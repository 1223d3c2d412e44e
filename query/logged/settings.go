package logged

import (
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types/charset"
)

// Setting is the value that a session variable has for a statement, as SET takes it.
type Setting struct {
	Name  string
	Value any
}

// badCharset is the number of the error for an unknown collation: MariaDB has it of its library, not of the server.
const badCharset uint16 = 22

// collation finds a collation by its number.
func collation(id uint16) (*charset.Collation, error) {
	if c, ok := charset.ByID(id); ok {
		return c, nil
	}
	return nil, badCollation(uint32(id))
}

func badCollation(id uint32) error {
	return mysqlerr.Newf(badCharset, "Character set '#%d' is not a compiled character set and is not specified in the 'Index.xml' file", id)
}

// modeBits are the bits of sql_mode that MariaDB has. Those that MySQL has beyond 32 mean other things.
func modeBits(q *event.Query, mysql bool) uint64 {
	d, _ := sysvar.Lookup("sql_mode")
	bits := uint64(len(d.Members))
	if mysql {
		bits = min(bits, 32)
	}
	return q.SQLMode & (1<<bits - 1)
}

// Settings are those of a statement but for its time, its account and its default database. mysql says that the primary is a MySQL, whose bits
// are not all the same. Error 22 is about a collation that this server does not know.
func Settings(q *event.Query, mysql bool) ([]Setting, error) {
	on := func(bit uint32) bool { return q.Flags2&bit != 0 }
	list := []Setting{
		{"sql_mode", modeBits(q, mysql)},
		{"foreign_key_checks", !on(event.Flags2NoForeignKeyChecks)},
		{"unique_checks", !on(event.Flags2NoUniqueChecks)},
		{"check_constraint_checks", mysql || !on(event.Flags2NoCheckConstraint)},
		{"auto_increment_increment", uint64(max(q.AutoIncrementIncrement, 1))},
		{"auto_increment_offset", uint64(max(q.AutoIncrementOffset, 1))},
	}
	names, _ := sysvar.Lookup("lc_time_names")
	if int(q.LCTimeNames) >= len(names.Members) {
		return nil, mysqlerr.New(mysqlerr.UnknownLocale, q.LCTimeNames)
	}
	list = append(list, Setting{"lc_time_names", names.Members[q.LCTimeNames]})
	if q.Charset != [3]uint16{} {
		var by [3]*charset.Collation
		for i, id := range q.Charset {
			var err error
			if by[i], err = collation(id); err != nil {
				return nil, err
			}
		}
		list = append(list, Setting{"character_set_client", by[0].Set().Name()}, Setting{"character_set_connection", by[1].Set().Name()},
			Setting{"collation_connection", by[1].Name()}, Setting{"collation_server", by[2].Name()})
	}
	return list, nil
}

// DatabaseCollation is collation_database for the statement, where it is not that of the default database; "" where it is.
func DatabaseCollation(q *event.Query) (string, error) {
	if q.CharsetDatabase == 0 {
		return "", nil
	}
	c, err := collation(q.CharsetDatabase)
	if err != nil {
		return "", err
	}
	return c.Name(), nil
}
