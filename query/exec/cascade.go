package exec

import (
	"bytes"
	"context"
	"errors"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// cascadesMost is how many changes may lead to each other (FK_MAX_CASCADE_DEL in InnoDB's dict0mem.h).
const cascadesMost = 15

// referring looks for the rows that refer to one whose key goes, and does with them what their foreign key says.
func (k *keeper) referring(ctx context.Context, s *step, f *relation.Foreign) error {
	key, null, err := row.AppendKey(nil, f.Parent.Table.Columns, f.ParentKey, s.before)
	if null || err != nil {
		return err
	}
	action := f.OnDelete
	if s.after != nil {
		action = f.OnUpdate
	}
	met, err := k.met(f.Child, f.ChildRank, f.ChildKey, key)
	if err != nil {
		return err
	}
	if met != nil { // a row that is being changed, which stays as that says, if it may refer to what goes
		if err := k.mayCascade(s, f, action); err != nil {
			return err
		}
	}
	mode := txn.LockExclusive
	if action == relation.Restrict {
		mode = txn.LockShared
	}
	lead, _, err := row.AppendKey(f.Child.Prefix(f.ChildIndex), f.Parent.Table.Columns, f.ParentKey[:f.ChildLead], s.before)
	if err != nil {
		return err
	}
	return k.each(ctx, f.Child, f.ChildIndex, lead, mode, func(rowKey, image []byte) error {
		if has, _, err := row.AppendKey(nil, f.Child.Table.Columns, f.ChildKey, image); err != nil || !bytes.Equal(has, key) {
			return err
		}
		if err := k.mayCascade(s, f, action); err != nil {
			return err
		}
		return k.cascade(ctx, s, f, action, rowKey, image)
	})
}

// mayCascade asks whether a row that refers to one whose key goes may be changed.
func (k *keeper) mayCascade(s *step, f *relation.Foreign, action relation.Action) error {
	if action == relation.Restrict {
		return mysqlerr.New(mysqlerr.RowIsReferenced2, f.Text)
	}
	if s.after != nil || action == relation.SetNull {
		for _, earlier := range k.steps { // InnoDB updates no table twice in one chain
			if earlier.updates() && earlier.table.ID() == f.Child.ID() {
				return mysqlerr.New(mysqlerr.RowIsReferenced2, f.Text)
			}
		}
	}
	if len(k.steps) < cascadesMost {
		return nil
	}
	const number, text = 152, "InnoDB: Cannot delete/update rows with cascading foreign key constraints that exceed max depth of 15. " +
		"Please drop extra constraints and try again"
	if d := k.f.Diag; d.Strict != nil {
		d.Fail(&mysqlerr.Error{Number: number, State: "23000", Message: text})
		return d.Failed()
	}
	k.f.Diag.Warnf(number, text)
	return mysqlerr.New(mysqlerr.GetErrorMessage, 193, f.Text, "InnoDB")
}

// cascade changes a row that refers to one whose key goes.
func (k *keeper) cascade(ctx context.Context, s *step, f *relation.Foreign, action relation.Action, key, image []byte) error {
	if action == relation.Cascade && s.after == nil {
		k.gone[f.Child.ID()]++
		return k.delete(ctx, f.Child, key, image)
	}
	out, before := relation.NewImage(f.Child), row.NewReader(f.Child.Layout)
	before.Set(image)
	if err := k.assign(out, s, f, action); err != nil {
		if errors.Is(err, relation.ErrUnfit) {
			err = mysqlerr.New(mysqlerr.RowIsReferenced2, f.Text)
		}
		return err
	}
	after, err := out.Append(nil, before)
	if err != nil {
		return err
	}
	err = k.update(ctx, f.Child, key, image, after, f)
	var dup *txn.DuplicateKeyError
	if errors.As(err, &dup) {
		return k.duplicate(f.Child, dup.Index)
	}
	return err
}

// assign gives the columns of a foreign key what the key that they refer to becomes, or NULL.
func (k *keeper) assign(out *relation.Image, s *step, f *relation.Foreign, action relation.Action) error {
	if action == relation.SetNull {
		for _, at := range f.Columns {
			if err := out.Set(at, types.Value{Null: true}); err != nil {
				return err
			}
		}
		return nil
	}
	was, now := row.NewReader(s.table.Layout), row.NewReader(s.table.Layout)
	was.Set(s.before)
	now.Set(s.after)
	for i, at := range f.Columns {
		if from := f.ParentColumns[i]; !sameValue(was, now, from) {
			if err := out.Copy(at, now, &f.Parent.Columns[from], from); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameValue reports whether two rows have the same bytes in a column.
func sameValue(a, b *row.Reader, column int) bool {
	x, hasX := a.Value(column)
	y, hasY := b.Value(column)
	return hasX == hasY && string(x) == string(y)
}

// duplicate is the error of a cascade that would give a row a key that another one has. It has the first key of the statement's row.
func (k *keeper) duplicate(child *relation.Table, index int) error {
	base := k.steps[0]
	first := -1
	if base.table.Keyless() {
		first = 0
	}
	image := base.after
	if image == nil {
		image = base.before
	}
	name := "PRIMARY"
	if index >= 0 {
		name = child.Indexes[index].Def.Name
	}
	return mysqlerr.New(mysqlerr.ForeignDuplicateKey, base.table.Def.Name, keyText(base.table, first, k.f, image), child.Def.Name, name)
}
