package expressions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Setup is a session that expressions are computed in. Both sides set it up.
type Setup struct {
	SQLMode   string // the names, comma-separated
	Names     string // SET NAMES; utf8mb4 if empty
	Collation string // ... COLLATE; the set's default if empty
	DivInc    uint8  // div_precision_increment
	Timestamp int64  // SET timestamp, in microseconds
	Zone      string // time_zone
	MaxPacket uint64 // max_allowed_packet; 0 for 16 MiB
}

// Default is the setup that lines of testdata have unless they say otherwise.
var Default = Setup{
	SQLMode: "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION",
	Names:   "utf8mb4", Collation: "utf8mb4_general_ci", DivInc: 4, Timestamp: 1_700_000_000_123456, Zone: "+00:00",
}

// packet is max_allowed_packet.
func (s Setup) packet() uint64 {
	if s.MaxPacket == 0 {
		return 16 << 20
	}
	return s.MaxPacket
}

// Statements are what sets up a session of a server.
func (s Setup) Statements() []string {
	return []string{
		"SET NAMES " + s.Names,
		fmt.Sprintf("SET sql_mode='%s', div_precision_increment=%d, time_zone='%s'", s.SQLMode, s.DivInc, s.Zone),
		fmt.Sprintf("SET timestamp=%d.%06d", s.Timestamp/1_000_000, s.Timestamp%1_000_000),
		"SET collation_connection=" + s.Collation, // may be of another character set, in which no name above would be understood
	}
}

func (s Setup) env() *types.Env {
	e := &types.Env{DivIncrement: s.DivInc, Utf8mb3: true, Names: "en_US", ConcatMax: 1 << 20}
	for name := range strings.SplitSeq(s.SQLMode, ",") {
		e.Mode |= types.ModeNamed(name)
	}
	e.Connection, _ = charset.ByName(s.Collation)
	e.Client, _ = charset.SetByName(s.Names)
	e.Results = e.Client
	e.Server, _ = charset.ByName("latin1_swedish_ci")
	e.Database = e.Server
	return e
}

// Answer is what a server says of SELECT expression.
type Answer struct {
	Error    string   // number/state message; nothing else is set then
	Value    string   // NULL, or the text in quotes
	Type     string   // type(length,decimals) flags charset
	Warnings []string // Level number message

	Name  string // of the column, from servers
	Count uint16 // of warnings, as the end of the result says, from servers
}

// String is one line.
func (a Answer) String() string {
	if a.Error != "" {
		return "E" + a.Error + warningsText(a.Warnings)
	}
	return a.Value + " " + a.Type + warningsText(a.Warnings)
}

func warningsText(w []string) string {
	if len(w) == 0 {
		return ""
	}
	return " | " + strings.Join(w, " | ")
}

// flagsCompared are those that a server sends of an expression.
const flagsCompared = mysql.NOT_NULL_FLAG | mysql.UNSIGNED_FLAG | mysql.BINARY_FLAG | mysql.ZEROFILL_FLAG | mysql.BLOB_FLAG

func typeText(kind byte, length uint32, decimals byte, flags, set uint16) string {
	var words strings.Builder
	for _, f := range []struct {
		flag uint16
		word string
	}{{mysql.NOT_NULL_FLAG, " NN"}, {mysql.UNSIGNED_FLAG, " U"}, {mysql.BINARY_FLAG, " B"}, {mysql.ZEROFILL_FLAG, " Z"}, {mysql.BLOB_FLAG, " BLOB"}} {
		if flags&flagsCompared&f.flag != 0 {
			words.WriteString(f.word)
		}
	}
	return fmt.Sprintf("%d(%d,%d)%s cs%d", kind, length, decimals, words.String(), set)
}

// Ours computes SELECT expression with our own packages.
func Ours(s Setup, expression string) Answer {
	return compute(s, func(env *types.Env, f *eval.Frame) (*eval.Expr, error) {
		st, _, err := grammar.Parse("SELECT "+expression, grammar.Options{})
		if err != nil {
			return nil, err
		}
		n, err := selected(st)
		if err != nil {
			return nil, err
		}
		b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: f}}
		x, err := b.Expr(n)
		if err == nil {
			x.Call(expression)
		}
		return x, err
	})
}

// compute computes what is bound for a frame.
func compute(s Setup, bound func(*types.Env, *eval.Frame) (*eval.Expr, error)) (a Answer) {
	diag := &types.Diagnostics{Most: 64}
	env := s.env()
	zone, err := temporal.ParseZone(s.Zone)
	if err != nil {
		return failure(err)
	}
	f := &eval.Frame{
		Env: env, Diag: diag, MaxPacket: s.packet(), Started: temporal.Stamp(s.Timestamp), Zone: zone, Names: temporal.English,
		Random: rand.New(rand.NewPCG(1, 2)), Session: &session{},
	}
	defer func() {
		for _, c := range diag.Conditions {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s %d %s", c.Level, c.Number, c.Message))
		}
		if a.Error != "" {
			a.Warnings = withoutErrors(a.Warnings)
		}
	}()
	x, err := bound(env, f)
	if err != nil {
		return failure(err)
	}
	b := eval.Builder{Env: env, Scratch: f}
	out := b.ToClient(x, env.Results)
	v := out.Compute(f)
	if err := diag.Failed(); err != nil {
		return failure(err)
	}
	col := typed.Column("", x.Type, env.Results)
	a.Type = typeText(col.Type, col.Length, col.Decimals, col.Flags, col.Charset)
	value, _ := typed.Value(out.Type, v, nil)
	if value.IsNull() {
		a.Value = "NULL"
		return a
	}
	a.Value = fmt.Sprintf("%q", col.AppendText(nil, value))
	return a
}

func failure(err error) Answer {
	var e *mysqlerr.Error
	if errors.As(err, &e) {
		return Answer{Error: fmt.Sprintf("%d/%s %s", e.Number, e.State, e.Message)}
	}
	return Answer{Error: "not MariaDB's: " + err.Error()}
}

// selected is the one expression of SELECT expression.
func selected(st tree.Statement) (tree.Expr, error) {
	if sel, ok := st.(*tree.Select); ok && len(sel.Items) == 1 && sel.From == nil {
		return sel.Items[0].X, nil
	}
	return nil, errors.New("not one expression")
}
