package parse

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/mysqlerr"
)

func (r *collating) createTable(n *tree.CreateTable) error {
	c := clauses{around: r.databaseOf(n.Name)}
	at, alone, err := r.options(n.Options, &c)
	if err != nil {
		return err
	}
	text := "COLLATE utf8mb4_general_ci" // commas may stand around it
	if r.d != nil {
		if text, err = both(c.result()); err != nil {
			return err
		}
	}
	switch {
	case at.End == 0:
	case alone:
		r.replace(at, text)
	default:
		for _, o := range n.Options {
			if !o.Own && (o.Name == "CHARACTER SET" || o.Name == "COLLATE") {
				r.replace(o.Span, text)
			}
		}
	}
	if err := checkPartitions(n); err != nil {
		return err
	}
	if n.Partitioning != nil {
		r.replace(n.Partitioning.Span, "")
	}
	r.primary = primaryColumns(n.Elements)
	if r.d != nil {
		if err := r.d.comments(n.Name.Name.Text, n.Elements, n.Options); err != nil {
			return err
		}
	}
	// The planner gives columns the table's collation by its name, which it does not find for those that have another number there.
	if err := r.elements(n.Elements, &c, at.End > 0 && r.d != nil && collation.Lent(c.result().ID())); err != nil {
		return err
	}
	if err := r.expressions(n.Name, n.Elements); err != nil {
		return err
	}
	if n.Query == nil && r.d != nil && r.d.Table(n.Name.DB.Text, n.Name.Name.Text) == nil { // otherwise the table that is there is the error
		return references(n)
	}
	return nil
}

func (r *collating) elements(elements []tree.Element, c *clauses, always bool) error {
	for _, e := range elements {
		if col, ok := e.(*tree.Column); ok {
			if err := r.column(col, c, always); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *collating) alterTable(n *tree.AlterTable) error {
	if err := r.partitions(n); err != nil {
		return err
	}
	c := clauses{}
	if r.d != nil {
		c.around = r.d.Table(n.Name.DB.Text, n.Name.Name.Text)
		if c.around == nil {
			c.around = r.databaseOf(n.Name) // 1146 comes later
		}
	}
	count := 0
	for _, a := range n.Actions {
		switch a := a.(type) {
		case *tree.ConvertCharset:
			count++
			if err := r.convert(n, a, &c); err != nil {
				return err
			}
		case *tree.SetOptions:
			was := c.around
			if r.d != nil && slices.ContainsFunc(a.Options, func(o *tree.Option) bool {
				return o.Name == "CHARACTER SET" && o.Value.Kind == tree.WordValue
			}) {
				c.around = r.databaseOf(n.Name)
			}
			at, alone, err := r.options(a.Options, &c)
			if err != nil {
				return err
			}
			if at.End == 0 {
				c.around = was
				continue
			}
			if count++; !alone {
				return mysqlerr.NotYet("table options between CHARACTER SET and COLLATE")
			}
			text := "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
			if r.d != nil {
				if text, err = both(c.result()); err != nil {
					return err
				}
			}
			r.replace(at, text)
		}
	}
	if count > 1 {
		return mysqlerr.NotYet("several clauses with CHARACTER SET or COLLATE in one ALTER TABLE")
	}
	for _, a := range n.Actions {
		if r.d != nil {
			if err := r.d.comments(n.Name.Name.Text, definedBy(a), optionsOf(a)); err != nil {
				return err
			}
		}
		var err error
		switch a := a.(type) {
		case *tree.AddColumns:
			if err = r.elements(a.Elements, &c, count > 0); err == nil {
				err = r.expressions(n.Name, a.Elements)
			}
		case *tree.ChangeColumn:
			if err = r.column(a.Column, &c, count > 0); err == nil {
				err = r.columnExpressions(n.Name, a.Column, false)
			}
		case *tree.AddElement:
			if check, ok := a.Element.(*tree.Check); ok {
				err = allowed(n.Name, check.Expr, clauseOf{"CHECK", check.Constraint.Text, true})
			}
		case *tree.AlterColumn:
			if a.Default != nil {
				err = r.newDefault(n.Name, a)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *collating) convert(n *tree.AlterTable, a *tree.ConvertCharset, c *clauses) error {
	text := "CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
	if r.d != nil {
		if a.Charset == "DEFAULT" {
			c.around = r.databaseOf(n.Name)
		}
		err := c.charset(a.Charset, a.Charset == "DEFAULT")
		if err == nil && a.Collate != "" {
			err = c.collate(a.Collate, a.Collate == "DEFAULT")
		}
		if err != nil {
			return err
		}
		if text, err = both(c.result()); err != nil {
			return err
		}
		text = "CONVERT TO " + text
	}
	r.replace(a.Span, text)
	return nil
}
