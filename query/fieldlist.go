package query

import (
	"context"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

// FieldList is COM_FIELD_LIST: the columns of a table whose names match a LIKE
// pattern, "" for all.
func (s *Session) FieldList(ctx context.Context, table, wildcard string) ([]result.Column, error) {
	var list fieldSink
	quoted := "`" + strings.ReplaceAll(table, "`", "``") + "`"
	if err := s.Execute(ctx, "SELECT * FROM "+quoted+" LIMIT 0", &list); err != nil {
		return nil, err
	}
	if wildcard == "" || wildcard == "%" {
		return list.cols, nil
	}
	var out []result.Column
	for _, c := range list.cols {
		if dialect.Like(c.Name, wildcard) {
			out = append(out, c)
		}
	}
	return out, nil
}

// fieldSink keeps the columns of a result.
type fieldSink struct{ cols []result.Column }

// Columns implements result.Sink.
func (f *fieldSink) Columns(cols []result.Column) error {
	f.cols = append(f.cols, cols...)
	return nil
}

// Row implements result.Sink.
func (f *fieldSink) Row(result.Row) error { return nil }

// EndRows implements result.Sink.
func (f *fieldSink) EndRows(result.Status) error { return nil }

// OK implements result.Sink.
func (f *fieldSink) OK(result.OK) error { return nil }
