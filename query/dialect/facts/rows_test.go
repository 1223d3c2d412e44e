package facts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// TestRows: rows that are no parts of the tree count as if they were, but for what is said again.
func TestRows(t *testing.T) {
	for _, text := range []string{
		"insert into a values (1, 'x', null, default, 0x41, true), (2, 'y', null, default, x'41', false)",
		"insert into a values (@a, @@b), (?, ?)",
		"replace a (x) values ((select max(x) from b for update)), (f(1)), (d.g(2) + nextval(s))",
		"insert into a values ((select count(*) over () from b)) union select x from c",
		"explain insert into a values ((select 1 from b)) on duplicate key update x = (select 1 from c), y = h()",
		"set statement max_statement_time = 1 for insert into a values ((select 1 from b))",
		"insert into a select x from b",
	} {
		rows := &facts.Rows{}
		s, _, err := grammar.Parse(text, grammar.Options{Row: rows.Add})
		require.NoError(t, err)
		got, want := rows.Of(s), of(t, text)
		require.Equal(t, mentions(want), mentions(got), text)
		require.Len(t, got.Functions, len(want.Functions), text)
		for i, f := range want.Functions {
			require.Equal(t, f.Name.Text, got.Functions[i].Name.Text, text)
		}
		for _, f := range []*facts.Facts{got, want} {
			f.Tables, f.Functions, f.Lock = nil, nil, nil
		}
		require.Equal(t, want, got, text)
	}
	rows := &facts.Rows{}
	kept := 0
	s, _, err := grammar.Parse("insert into a values "+strings.Repeat("((select 1 from b), f()), ", 99)+"((select 1 from b c), F())",
		grammar.Options{Row: func(r *tree.Row) bool {
			k := rows.Add(r)
			if k {
				kept++
			}
			return k
		}})
	require.NoError(t, err)
	f := rows.Of(s)
	require.Equal(t, "a written, b read, b as c read", mentions(f))
	require.Len(t, f.Functions, 1)
	require.Equal(t, 2, kept, "the first row, and the last, which has another alias")
}
