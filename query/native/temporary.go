package native

import (
	"math"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
)

// keptFlags are those that the column of a temporary table has of the table's column that it stands for.
const keptFlags = mysql.NOT_NULL_FLAG | mysql.BLOB_FLAG | mysql.UNSIGNED_FLAG | mysql.ZEROFILL_FLAG | mysql.BINARY_FLAG | mysql.ENUM_FLAG | mysql.SET_FLAG |
	mysql.NO_DEFAULT_VALUE_FLAG

// inTemporary describes a column as that of a temporary table, in which MariaDB keeps what is computed for each row, and the results of most aggregate
// functions. What is computed of those results is not in the table, constants neither.
func (st *Statement) inTemporary(c *result.Column, item *plan.Item) {
	x := item.X
	if st.endsByKey() && !x.Is(eval.Constant) {
		defer func() {
			c.Flags |= mysql.PART_KEY_FLAG
			if item.Described == nil {
				c.OrgName = item.Name
			}
		}()
	}
	if item.Described != nil {
		c.Flags &= keptFlags
		return
	}
	if !x.Is(eval.Constant) && (x.Aggregated() || !plan.Aggregated(x)) {
		st.asKept(c, item)
	}
}

// endsByKey reports whether the temporary table has a key, by which the statement ends when there are enough rows.
func (st *Statement) endsByKey() bool {
	p := st.plan
	limited := p.Limit.Any && p.Limit.Count < math.MaxUint64
	return p.Distinct && limited && len(p.Order)+len(p.Having) == 0 && p.Group == nil && !p.CountAll
}

// asKept describes the column of a table that an item is put into.
func (st *Statement) asKept(c *result.Column, item *plan.Item) {
	x := item.X
	if item.Described != nil {
		c.Flags &= keptFlags
		return
	}
	of := extremeOf(x)
	if src := st.plan.Source; src != nil && src.View != nil && src.View.Reads {
		of = nil // a view's columns are expressions there
	}
	if of != nil { // MIN and MAX have the column's own place in the table
		_, at, _ := of.Column()
		own := typed.TableColumn(c.Name, &st.plan.Source.Table.Columns[at], st.plan.Source.Table.Def, "", st.frame.Env.Results)
		c.Flags |= own.Flags & mysql.NO_DEFAULT_VALUE_FLAG
		if of.Type.Kind.Blob() {
			c.Length = own.Length
		}
	}
	switch x.Type.Class() {
	case types.ClassInt, types.ClassFloat, types.ClassDec:
		if x.Aggregated() && computedLater[x.Name] {
			return
		}
		c.Flags &^= mysql.BINARY_FLAG
		if of != nil {
			switch of.Type.Kind {
			case types.Float:
				c.Length = floatLength
			case types.Double:
				c.Length = doubleLength
			case types.Year:
				c.Flags |= mysql.ZEROFILL_FLAG
			}
			if of.Type.Zerofill {
				c.Length, c.Flags = of.Type.Length, c.Flags|mysql.ZEROFILL_FLAG
			}
		}
	case types.ClassText:
		if c.Decimals == types.NotFixedText {
			c.Decimals = 0
		}
		if x.Type.Kind.Blob() {
			c.Flags |= mysql.BLOB_FLAG
		}
		if of != nil {
			switch of.Type.Kind {
			case types.Enum:
				c.Type, c.Flags = mysql.MYSQL_TYPE_STRING, c.Flags|mysql.ENUM_FLAG
			case types.Set:
				c.Type, c.Flags = mysql.MYSQL_TYPE_STRING, c.Flags|mysql.SET_FLAG
			}
		}
	}
}

// computedLater are the aggregate functions of which the table has sums and counts only.
var computedLater = map[string]bool{"avg": true, "std": true, "stddev_samp": true, "variance": true, "var_samp": true}

// Lengths of columns of FLOAT and DOUBLE.
const (
	floatLength  = 12
	doubleLength = 22
)

// extremeOf is the column of which an expression is MIN or MAX, nil for none.
func extremeOf(x *eval.Expr) *eval.Expr {
	if !x.Aggregated() || x.Name != "min" && x.Name != "max" {
		return nil
	}
	if _, _, ok := x.Args[0].Column(); !ok {
		return nil
	}
	return x.Args[0]
}
