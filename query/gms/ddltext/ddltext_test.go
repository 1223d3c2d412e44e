package ddltext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExpression(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"((a % 2) = 1)", "`a` MOD 2 = 1"},
		{"(a - (b - 1))", "`a` - (`b` - 1)"},
		{"((a - b) * 2)", "(`a` - `b`) * 2"},
		{"concat('a','it''s')", `concat('a','it\'s')`},
		{"date_add(d, interval 1 day)", "`d` + interval 1 day"},
		{"NOT (a > 1)", "`a` <= 1"},
		{"length(c) > 2 and upper(c) = c or a is not null", "octet_length(`c`) > 2 and ucase(`c`) = `c` or `a` is not null"},
		{"a expression", "a expression"},
	} {
		require.Equal(t, c.want, Expression(c.text), c.text)
	}
}

func TestParseObject(t *testing.T) {
	v := ParseObject("CREATE OR REPLACE ALGORITHM = MERGE /* c */ DEFINER=`a b`@'%' SQL SECURITY INVOKER VIEW d.v (x, `y z`) AS SELECT 1, 2 FROM t with  local check option;")
	require.Equal(t, Object{Kind: "VIEW", Name: "v", Definer: "a b@%", Algorithm: "MERGE", Security: "INVOKER", Columns: []string{"x", "y z"},
		CheckOption: "LOCAL", DataAccess: "CONTAINS SQL", Body: "SELECT 1, 2 FROM t", Tail: v.Tail}, v)
	p := ParseObject("create procedure p(in a decimal(5,2), out `b c` varchar(20), d enum('x,y','z')) comment 'it''s' reads sql data begin select a; end")
	require.Equal(t, "begin select a; end", p.Body)
	require.Equal(t, "READS SQL DATA", p.DataAccess)
	require.Equal(t, "it's", p.Comment)
	require.Equal(t, []Parameter{{"IN", "a", "decimal(5,2)"}, {"OUT", "b c", "varchar(20)"}, {"IN", "d", "enum('x,y','z')"}}, p.Parameters())
	tr := ParseObject("CREATE DEFINER=root@localhost TRIGGER tr AFTER UPDATE ON `t` FOR EACH ROW FOLLOWS other SET @x = 1")
	require.Equal(t, []string{"AFTER", "UPDATE", "t", "SET @x = 1"}, []string{tr.Timing, tr.Event, tr.Table, tr.Body})
}

// FuzzParseObject: stored statements come from clients; every text must be taken apart without a panic.
func FuzzParseObject(f *testing.F) {
	for _, text := range []string{"create view v as select 1", "create procedure p(a int", "CREATE DEFINER=`", "create trigger t/*", "create view v as with check option", "/*!50001 create"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := ParseObject(text)
		for _, p := range o.Parameters() {
			if len(p.Name)+len(p.Type) > len(text) {
				t.Fatalf("%q: a parameter larger than the text", text)
			}
		}
	})
}
