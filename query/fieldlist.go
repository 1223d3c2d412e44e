package query

import (
	"context"
	"strings"

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
		if likeName(strings.ToLower(wildcard), strings.ToLower(c.Name)) {
			out = append(out, c)
		}
	}
	return out, nil
}

// likeName matches a name against a pattern of %, _ and backslash escapes.
func likeName(pattern, name string) bool {
	for pattern != "" {
		switch c := pattern[0]; {
		case c == '%':
			for i := 0; i <= len(name); i++ {
				if likeName(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		case name == "":
			return false
		case c == '_':
		case c == '\\' && len(pattern) > 1:
			pattern = pattern[1:]
			if pattern[0] != name[0] {
				return false
			}
		case c != name[0]:
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return name == ""
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
