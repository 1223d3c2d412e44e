package enginetest

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/result"
)

// sink keeps what a session answers, as the suite asks for it: a schema and
// rows of Go values.
type sink struct {
	sets  []answer
	plain plainAnswer // for the judge
	texts [][]string  // rows of the last result, as they were sent
}

// answer is the result of one statement: rows, or an OK.
type answer struct {
	schema sql.Schema
	cols   []result.Column
	rows   []sql.Row
}

var _ result.Sink = (*sink)(nil)

// Columns implements result.Sink.
func (s *sink) Columns(cols []result.Column) error {
	schema := make(sql.Schema, len(cols))
	for i, c := range cols {
		schema[i] = &sql.Column{Name: c.Name, Type: columnType(c)}
	}
	s.sets = append(s.sets, answer{schema: schema, cols: slices.Clone(cols)})
	return nil
}

// Row implements result.Sink.
func (s *sink) Row(r result.Row) error {
	set := &s.sets[len(s.sets)-1]
	row := make(sql.Row, len(set.cols))
	fields := make([]string, len(set.cols))
	for i := range set.cols {
		v := r.Value(i)
		if fields[i] = string(set.cols[i].AppendText(nil, v)); v.IsNull() {
			fields[i] = "NULL"
		}
		var err error
		if row[i], err = decode(&set.cols[i], v, fields[i]); err != nil {
			return err
		}
		if _, isJSON := row[i].(sql.JSONWrapper); isJSON {
			set.schema[i].Type = types.JSON
		}
	}
	set.rows = append(set.rows, row)
	s.texts = append(s.texts, fields)
	return nil
}

// EndRows implements result.Sink.
func (s *sink) EndRows(status result.Status) error {
	names := make([]string, len(s.sets[len(s.sets)-1].cols))
	for i, c := range s.sets[len(s.sets)-1].cols {
		names[i] = c.Name
	}
	s.plain.rows(names, s.texts, status.Warnings)
	s.texts = nil
	return nil
}

// OK implements result.Sink.
func (s *sink) OK(ok result.OK) error {
	s.plain.okay(ok.AffectedRows, ok.InsertID, ok.Warnings)
	r := types.OkResult{RowsAffected: ok.AffectedRows, InsertID: ok.InsertID}
	if strings.HasPrefix(ok.Info, "Rows matched") {
		r.Info = text(ok.Info)
	}
	s.sets = append(s.sets, answer{schema: types.OkResultSchema, rows: []sql.Row{{r}}})
	return nil
}

// text is the Info of an OK as a client gets it.
type text string

// String implements fmt.Stringer.
func (t text) String() string { return string(t) }

// result is the answer that go-mysql-server's engine would give for the whole
// text: of a CALL the last rows that were selected.
func (s *sink) result() answer {
	last := answer{}
	for i, set := range s.sets {
		if i == 0 || !types.IsOkResultSchema(set.schema) {
			last = set
		}
	}
	return last
}
