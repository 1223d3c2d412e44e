package info

import (
	"math"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

var locks = []eval.Def{
	{Name: "GET_LOCK", Min: 2, Max: 2, Bind: getLock},
	{Name: "RELEASE_LOCK", Min: 1, Max: 1, Bind: lockNamed("release_lock", "RELEASE_LOCK", 1)},
	{Name: "IS_FREE_LOCK", Min: 1, Max: 1, Bind: lockNamed("is_free_lock", "IS_FREE_LOCK", 1)},
	{Name: "IS_USED_LOCK", Min: 1, Max: 1, Bind: lockNamed("is_used_lock", "IS_USED_LOCK", 10)},
	{Name: "RELEASE_ALL_LOCKS", Bind: func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
		return eval.New("release_all_locks", unsignedInt(11), func(f *eval.Frame) (int64, bool) {
			v, null := do(f, "RELEASE_ALL_LOCKS")
			return v.Int, null
		}).With(eval.Volatile | eval.Session), nil
	}},
}

// getLock refuses times that are a second less than nothing, and asks for no lock without a name.
func getLock(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	if err := lockNameType("get_lock", args[0]); err != nil {
		return nil, err
	}
	x, y := b.ToText(args[0]), b.ToFloat(args[1])
	text, seconds := eval.Of[[]byte](x), eval.Of[float64](y)
	return eval.New("get_lock", types.LongType(1).OrNull(), func(f *eval.Frame) (int64, bool) {
		s, null := text(f)
		wait, never := seconds(f)
		if never || wait <= -1 {
			shown := "NULL"
			if !never {
				shown = strconv.FormatFloat(math.Trunc(wait), 'f', -1, 64)
			}
			f.Warn(mysqlerr.WrongValueForType, "timeout", shown, "get_lock")
			return 0, true
		}
		if null || !lockName(f, s) {
			return 0, true
		}
		v, null := do(f, "GET_LOCK", types.Value{Text: s}, types.Value{Float: max(wait, 0)})
		return v.Int, null
	}, x, y).With(eval.Volatile | eval.Session), nil
}

func lockNamed(name, what string, length uint32) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		if err := lockNameType(name, args[0]); err != nil {
			return nil, err
		}
		x := b.ToText(args[0])
		return eval.Map1(name, types.LongType(length).OrNull(), func(f *eval.Frame, s []byte) (int64, bool) {
			if !lockName(f, s) {
				return 0, true
			}
			v, null := do(f, what, types.Value{Text: s})
			return v.Int, null
		}, x).With(eval.Volatile | eval.Session), nil
	}
}

// The longest name of a lock, in bytes, and how much of a longer one its error has.
const (
	lockNameBytes = 192
	lockNameShown = 97
)

// lockNameType is error 4079 for what is no text.
func lockNameType(function string, x *eval.Expr) error {
	if t := x.Type; t.Class() != types.ClassText && t.Kind != types.Enum && t.Kind != types.Set || t.Kind.Address() {
		return mysqlerr.New(mysqlerr.IllegalParameterDataType, t.Name(), function)
	}
	return nil
}

// lockName reports whether there may be a lock of a name: of an empty one all functions are NULL, a name that is too long makes the statement fail.
func lockName(f *eval.Frame, s []byte) bool {
	if len(s) > lockNameBytes {
		f.Fail(mysqlerr.TooLongIdent, strings.ToValidUTF8(string(s[:lockNameShown]), "")+"...")
		return false
	}
	return len(s) > 0
}

var waiting = []eval.Def{
	{Name: "SLEEP", Min: 1, Max: 1, Bind: sleep},
	{Name: "LOAD_FILE", Min: 1, Max: 1, Bind: loadFile},
}

// sleep does not wait for NULL, nor for less than nothing.
func sleep(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := b.ToFloat(args[0])
	seconds := eval.Of[float64](x)
	return eval.New("sleep", types.LongType(1).NullIf(args[0].Type), func(f *eval.Frame) (int64, bool) {
		wait, null := seconds(f)
		if null || wait <= 0 {
			return 0, false
		}
		v, null := do(f, "SLEEP", types.Value{Float: max(wait, 0)})
		return v.Int, null
	}, x).With(eval.Volatile), nil
}

func loadFile(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return eval.Map1("load_file", binaryText(b.Scratch.MaxPacket), func(f *eval.Frame, s []byte) ([]byte, bool) {
		v, null := do(f, "LOAD_FILE", types.Value{Text: s})
		return v.Text, null
	}, b.ToText(args[0])).With(eval.Volatile | eval.Session), nil
}

var constants = []eval.Def{{Name: "NAME_CONST", Min: 2, Max: 2, Bind: nameConst}}

// nameConst gives a literal a name, which only a column of a result has.
func nameConst(_ *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	if args[1].Name == "pi" {
		return nil, mysqlerr.NotYet("PI in NAME_CONST")
	}
	if !args[0].Is(eval.Literal) && args[0].Name != "pi" || !args[1].Is(eval.Literal) {
		return nil, mysqlerr.New(mysqlerr.WrongArguments, "NAME_CONST")
	}
	if args[1].Null() {
		return args[1], nil
	}
	t := args[1].Type.OrNull()
	if t.Class() == types.ClassText {
		t.Derivation = charset.Implicit
	}
	return eval.NewLiteral(t, args[1].Value, []byte("NAME_CONST("+args[0].String()+","+args[1].String()+")")), nil
}
