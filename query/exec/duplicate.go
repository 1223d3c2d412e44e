package exec

import (
	"bytes"
	"errors"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Named turns the error about a key that another row has into the client's, with the key's text out of the image that was to be stored: error
// 1062. Others stay as they are.
func Named(err error, table *relation.Table, f *eval.Frame, image []byte) error {
	var dup *txn.DuplicateKeyError
	if !errors.As(err, &dup) {
		return err
	}
	name := "PRIMARY"
	if dup.Index >= 0 {
		name = table.Indexes[dup.Index].Def.Name
	}
	return mysqlerr.Duplicate(keyText(table, dup.Index, f, image), name)
}

// keyText is a key as messages have it: the texts of its parts with hyphens in between (key_unpack in MariaDB's sql/key.cc).
func keyText(table *relation.Table, index int, f *eval.Frame, image []byte) string {
	reader := row.NewReader(table.Layout)
	reader.Set(image)
	rows := f.Rows
	f.Rows = []*row.Reader{reader}
	defer func() { f.Rows = rows }()
	b := eval.Builder{Env: f.Env, Scratch: f}
	var out []byte
	for _, part := range table.Parts(index) {
		if len(out) > 0 { // so an empty text at the beginning has none behind it
			out = append(out, '-')
		}
		x := b.ToText(table.Expr(0, part.Column, ""))
		v := x.Compute(f)
		if v.Null {
			out = append(out, "NULL"...)
			continue
		}
		text, set := v.Text, x.Type.Collation.Set()
		if part.PrefixLen > 0 {
			text = text[:set.Prefix(text, part.PrefixLen)]
		}
		if kind := table.Columns[part.Column].Type.Kind; kind == types.Char && set.Name() == "binary" && len(text) > 0 {
			text = text[:max(1, len(bytes.TrimRight(text, "\x00")))]
		}
		out = append(out, types.Shown(set, text)...)
	}
	return string(out)
}
