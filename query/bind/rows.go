package bind

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Rows, (a, b), are operands of comparisons and of IN. All other operators and functions refuse them: most say that one column is wanted (error
// 1241, see Binder.row), some that the type is not allowed (4078, 4079); which of them say what is here.

// row is a row where one value is wanted.
func (b *Binder) row(n *tree.Row) (*eval.Expr, error) {
	if _, err := b.operand(n); err != nil {
		return nil, err
	}
	return nil, mysqlerr.New(mysqlerr.OperandColumns, 1)
}

// operand is an operand that may be a row: an expression, or its items.
type operand struct {
	x     *eval.Expr // nil for a row
	items []operand
}

func (b *Binder) operand(n tree.Expr) (o operand, err error) {
	row, ok := n.(*tree.Row)
	if !ok {
		o.x, err = b.Expr(n)
		return o, err
	}
	if b.depth++; b.depth > depthMax {
		return o, mysqlerr.New(mysqlerr.StackOverrunNeedMore, depthMax)
	}
	defer func() { b.depth-- }()
	o.items, err = b.operands(row.Items)
	return o, err
}

func (b *Binder) operands(ns []tree.Expr) ([]operand, error) {
	os := make([]operand, len(ns))
	for i, n := range ns {
		var err error
		if os[i], err = b.operand(n); err != nil {
			return nil, err
		}
	}
	return os, nil
}

// columns is how many columns an operand has.
func (o operand) columns() int {
	if o.x != nil {
		return 1
	}
	return len(o.items)
}

// typeName is what errors about types call an operand.
func (o operand) typeName() (string, error) {
	if o.x == nil {
		return "row", nil
	}
	switch t := o.x.Type; {
	case o.x.Is(eval.Bool):
		return "boolean", nil
	case t.Hybrid:
		return "hex_hybrid", nil
	case t.JSON:
		return t.Kind.String() + "/json", nil
	case t.Members != nil:
		return "", Refusal("a row beside an ENUM or SET")
	case t.Kind.IsString():
		return t.Kind.String(), nil
	default:
		return t.Name(), nil
	}
}

// illegalPair is error 4078 for two operands, of which one is a row.
func illegalPair(x, y operand, name string) error {
	l, err := x.typeName()
	if err != nil {
		return err
	}
	r, err := y.typeName()
	if err != nil {
		return err
	}
	return mysqlerr.New(mysqlerr.IllegalParameterTypes, l, r, name)
}

// illegalRow is error 4079 for a row among operands.
func (b *Binder) illegalRow(ns []tree.Expr, name string) error {
	if _, err := b.operands(ns); err != nil {
		return err
	}
	return mysqlerr.New(mysqlerr.IllegalParameterDataType, "row", name)
}

// level checks that two rows have the same columns, and appends what is in them, rows in rows as well.
func level(x, y operand, xs, ys []*eval.Expr) (_, _ []*eval.Expr, err error) {
	if x.x != nil && y.x != nil {
		return append(xs, x.x), append(ys, y.x), nil
	}
	if x.columns() != y.columns() || x.x != nil || y.x != nil {
		return nil, nil, mysqlerr.New(mysqlerr.OperandColumns, x.columns())
	}
	for i := range x.items {
		if xs, ys, err = level(x.items[i], y.items[i], xs, ys); err != nil {
			return nil, nil, err
		}
	}
	return xs, ys, nil
}

// rowIn reports whether one of some operands is a row.
func rowIn(ns ...tree.Expr) bool {
	for _, n := range ns {
		if _, ok := n.(*tree.Row); ok {
			return true
		}
	}
	return false
}

// binaryRows is an operator one of whose operands is a row.
func (b *Binder) binaryRows(n *tree.Binary) (*eval.Expr, error) {
	os, err := b.operands([]tree.Expr{n.Left, n.Right})
	if err != nil {
		return nil, err
	}
	switch n.Op {
	case tree.OpEqual, tree.OpNullSafeEqual, tree.OpNotEqual, tree.OpLess, tree.OpLessEqual, tree.OpGreater, tree.OpGreaterEqual:
		return b.compareOperands(n.Op, os[0], os[1], operator.Name(n.Op))
	case tree.OpPlus, tree.OpMinus, tree.OpTimes, tree.OpDivide, tree.OpModulo:
		return nil, illegalPair(os[0], os[1], operator.Name(n.Op))
	case tree.OpBitOr, tree.OpBitAnd, tree.OpBitXor, tree.OpShiftLeft, tree.OpShiftRight:
		return nil, mysqlerr.New(mysqlerr.IllegalParameterDataType, "row", operator.Name(n.Op))
	}
	return nil, mysqlerr.New(mysqlerr.OperandColumns, 1)
}

// compareOperands compares two operands, of which one is a row; name is what errors call the operator.
func (b *Binder) compareOperands(op tree.Op, x, y operand, name string) (*eval.Expr, error) {
	if x.x != nil || y.x != nil {
		return nil, illegalPair(x, y, name)
	}
	xs, ys, err := level(x, y, nil, nil)
	if err != nil {
		return nil, err
	}
	return operator.CompareRows(&b.Builder, op, xs, ys)
}

// inRows binds IN where one of the operands is a row.
func (b *Binder) inRows(n *tree.In) (*eval.Expr, error) {
	os, err := b.operands(append([]tree.Expr{n.X}, n.List...))
	if err != nil {
		return nil, err
	}
	x, list := os[0], os[1:]
	if len(list) == 1 {
		name := "="
		if n.Not {
			name = "<>"
		}
		return b.compareOperands(tree.OpEqual, x, list[0], name)
	}
	for _, y := range list {
		if (x.x == nil) != (y.x == nil) {
			return nil, illegalPair(x, y, "in")
		}
	}
	var xs []*eval.Expr
	rows := make([][]*eval.Expr, len(list))
	for i, y := range list {
		if xs, rows[i], err = level(x, y, nil, nil); err != nil {
			return nil, err
		}
	}
	return operator.InRows(&b.Builder, xs, rows)
}

// typedFunctions are functions that say 4079 of a row, with the name that they have in it if it is another one. All others say 1241.
var typedFunctions = func() map[string]string {
	names := map[string]string{
		"ATAN2": "atan", "CHARACTER_LENGTH": "char_length", "DAY": "dayofmonth", "DATEDIFF": "to_days", "INSTR": "locate", "LENGTH": "octet_length",
		"LENGTHB": "octet_length", "POWER": "pow", "WEEKOFYEAR": "week",
	}
	for name := range strings.FieldsSeq(`acos ascii asin atan benchmark bit_count char_length coercibility convert_tz cos cot crc32 crc32c date_format dayofmonth
		dayofyear degrees exp find_in_set from_days from_unixtime get_lock hour inet_aton is_free_lock is_used_lock json_depth json_length last_day
		last_insert_id ln locate log log10 log2 makedate maketime master_gtid_wait master_pos_wait microsecond minute octet_length ord period_add
		period_diff pow quarter radians rand regexp_instr release_lock sec_to_time second sign sin sleep sqrt strcmp tan time_format timediff timestamp
		to_char to_days to_seconds uncompressed_length week year yearweek`) {
		names[strings.ToUpper(name)] = name
	}
	return names
}()

// callWithRows is a call with rows among the arguments.
func (b *Binder) callWithRows(def *eval.Def, args []tree.Expr) (*eval.Expr, error) {
	if err := def.Counts(len(args)); err != nil {
		return nil, err
	}
	switch def.Name {
	case "JSON_OBJECT", "JSON_SET", "JSON_INSERT", "JSON_REPLACE", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT", "NAME_CONST":
		return nil, Refusal(def.Name + " of a row") // which has more to say of its arguments
	}
	name, typed := typedFunctions[def.Name]
	pair := def.Name == "LEAST" || def.Name == "GREATEST" || def.Name == "MOD"
	switch {
	case def.Name == "TIMESTAMP" && len(args) == 1: // a cast
		typed = false
	case rowIn(args[0]):
	case def.Name == "BENCHMARK", def.Name == "CRC32", def.Name == "CRC32C":
		typed = false
	case def.Name == "FROM_UNIXTIME":
		name = "date_format" // which its second argument is of
	case def.Name == "GET_LOCK": // which looks at the type of its first argument before
		xs, err := b.exprs(args[:1])
		if err == nil {
			_, err = def.Call(&b.Builder, append(xs, xs[0]))
		}
		if err != nil {
			return nil, err
		}
	case strings.HasPrefix(def.Name, "MASTER_"):
		return nil, Refusal(def.Name + " of a row") // MariaDB names the type of the first argument
	}
	if !typed && !pair {
		_, err := b.exprs(args) // the row is an error
		return nil, err
	}
	if typed {
		return nil, b.illegalRow(args, name)
	}
	os, err := b.operands(args)
	if err != nil {
		return nil, err
	}
	if def.Name == "MOD" {
		return nil, illegalPair(os[0], os[1], def.Name)
	}
	return nil, firstPair(os, strings.ToLower(def.Name))
}

// firstPair is error 4078 of a function whose arguments have a type together: that of those before the row, and the row.
func firstPair(os []operand, name string) error {
	at := 1
	for at < len(os)-1 && os[0].x != nil && os[at].x != nil {
		if x, err := os[0].typeName(); err != nil {
			return err
		} else if y, err := os[at].typeName(); err != nil || x != y {
			return Refusal("a row among values of several types")
		}
		at++
	}
	return illegalPair(os[0], os[at], name)
}
