package exec

import (
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// begin makes the row that expressions over a new row see first: it has the defaults that are no expressions.
func (in *insertion) begin() error {
	table := in.p.Source.Table
	image := relation.NewImage(table)
	for i := range table.Columns {
		v := plan.Standing(plan.DefaultOf(table, i), in.f)
		if i == in.p.Auto {
			v = types.Value{}
		}
		if err := image.Set(i, v); err != nil {
			return err
		}
	}
	first, err := image.Append(nil, nil)
	if err != nil {
		return err
	}
	in.base = row.NewReader(table.Layout)
	in.base.Set(first)
	return nil
}

// show lets expressions see what the row has so far. auto is what its AUTO_INCREMENT column was given.
func (in *insertion) show(auto types.Value) error {
	if in.p.Auto >= 0 && !auto.Null {
		if err := in.out.Set(in.p.Auto, auto); err != nil {
			return err
		}
	}
	image, err := in.out.Append(nil, in.base)
	if err != nil {
		return err
	}
	in.f.Rows[1].Set(image)
	return nil
}

// standard gives a column its default.
func (in *insertion) standard(other *plan.Other, auto types.Value) error {
	if other.Cell.X == nil {
		return in.out.Set(other.Column, valueOf(in.f, in.p.Source.Table, other.Column, other.Default))
	}
	if other.Cell.Sees {
		if err := in.show(auto); err != nil {
			return err
		}
	}
	v, err := in.value(other.Column, &other.Cell)
	if err != nil {
		return err
	}
	return in.out.Set(other.Column, v)
}
