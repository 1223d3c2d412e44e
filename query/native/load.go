package native

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/loadfile"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// loading is a LOAD DATA: an INSERT whose rows are the lines of a file.
type loading struct {
	*plan.Loaded
	name   string
	local  bool
	format loadfile.Format
	skip   uint64
	limit  int // bytes of the fields of a line
	// opened says that the client was asked for the file, which it sends once.
	opened bool
}

// load makes the plan of a LOAD DATA; error 1235 says that it is the fallback's.
func (b *binding) load(n *tree.Load, text string) (*Statement, error) {
	if n.XML || n.RowTag != nil || n.Partitions != nil {
		return nil, bind.Refusal("this LOAD DATA")
	}
	l := &loading{name: n.File, local: n.Local, limit: int(min(b.Vars.Uint("max_allowed_packet"), 1<<30))}
	var err error
	if l.format, err = b.formatOfLoad(n.Format); err != nil {
		return nil, err
	}
	if n.Skip != nil {
		skip, ok := n.Skip.(*tree.NumberLit)
		if !ok || skip.Kind != tree.IntegerNumber || len(skip.Text) > 18 {
			return nil, bind.Refusal("these lines to skip")
		}
		_, _ = fmt.Sscan(skip.Text, &l.skip) // up to 18 digits
	}
	set, err := b.charsetOfLoad(n.Charset)
	if err != nil {
		return nil, err
	}
	if !n.Local {
		if err := b.Rights().Check(privilege.Needs{List: []privilege.Need{{On: privilege.Global, All: privilege.File, File: true}}}); err != nil {
			return nil, err
		}
	}
	src, err := b.table(n.Table, nil, nil, func(def *catalog.TableDef) privilege.Need {
		return privilege.NeedTable(privilege.TableName{DB: def.DB, Name: def.Name}, insertNeeds(n.Replace, false))
	})
	if err != nil {
		return nil, err
	}
	if src.View != nil {
		return nil, bind.Refusal("LOAD DATA into a view")
	}
	if l.Loaded, err = plan.CompileLoad(b.binder, n, src, set); err != nil {
		return nil, err
	}
	now := b.frame.Session.(functions).now
	now.text = l.Text
	for _, name := range l.Variables {
		now.loaded = append(now.loaded, loadedVariable{name: name})
	}
	st := &Statement{
		session: b.Session, frame: b.frame, kind: status.Load, load: l, insert: l.Insert, plan: &plan.Select{Source: src}, temporary: b.temporary,
		bound: len(b.frame.Diag.Conditions), info: statement.Statement{Text: text, Kind: statement.Write, WaitSeconds: -1},
	}
	if what := st.trigger(b.catalog()); what != "" {
		return nil, bind.Refusal(what)
	}
	if err := st.withKeys(b.catalog()); err != nil {
		return nil, err
	}
	if st.insert.Keys != nil || st.insert.Referred {
		return nil, bind.Refusal("LOAD DATA into a table with foreign keys")
	}
	st.info.Tables = []statement.Use{{DB: src.Table.Def.DB, Name: src.Table.Def.Name, Strength: statement.Exclusive}}
	return st, nil
}

// charsetOfLoad is the character set of a file: that which is named, or character_set_database.
func (b *binding) charsetOfLoad(name string) (*charset.Set, error) {
	set := b.binder.Env.Database.Set()
	if name != "" {
		var ok bool
		if set, ok = b.binder.Env.CharsetNamed(name); !ok {
			return nil, bind.Refusal("this character set of LOAD DATA")
		}
	}
	switch set.Name() {
	case "binary", "utf8mb4", "utf8mb3", "latin1", "ascii":
		return set, nil
	}
	return nil, bind.Refusal("this character set of LOAD DATA")
}

// formatOfLoad reads the clauses FIELDS and LINES.
func (b *binding) formatOfLoad(n *tree.TextFormat) (loadfile.Format, error) {
	f := loadfile.Format{FieldsTerminatedBy: "\t", LinesTerminatedBy: "\n", EscapedBy: `\`}
	if b.binder.Env.Mode.Has(types.NoBackslashEscapes) {
		return f, bind.Refusal("LOAD DATA under NO_BACKSLASH_ESCAPES")
	}
	if n == nil {
		return f, nil
	}
	for _, c := range []struct {
		text *tree.TextLit
		to   *string
	}{
		{n.Terminated, &f.FieldsTerminatedBy}, {n.Enclosed, &f.EnclosedBy}, {n.Escaped, &f.EscapedBy}, {n.Starting, &f.LinesStartingBy},
		{n.LinesTerminated, &f.LinesTerminatedBy},
	} {
		if c.text == nil {
			continue
		}
		for i := range len(c.text.Value) {
			if c.text.Value[i] >= 0x80 {
				return f, bind.Refusal("separators that are not ASCII")
			}
		}
		*c.to = c.text.Value
	}
	longest := max(len(f.FieldsTerminatedBy), len(f.LinesTerminatedBy), len(f.LinesStartingBy))
	if len(f.EnclosedBy) > 1 || len(f.EscapedBy) > 1 || f.FieldsTerminatedBy == "" || longest > loadfile.MaxSeparator {
		return f, bind.Refusal("this format of LOAD DATA")
	}
	return f, nil
}

// each gives a function the lines of the file, one by one.
func (st *Statement) each(ctx context.Context, sink result.Sink, do func([]plan.Cell) error) (err error) {
	l := st.load
	l.opened = l.local
	file, err := st.session.Rest.OpenLoaded(ctx, sink, l.local, l.name)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	defer func() {
		if kept := st.keepVariables(); err == nil {
			err = kept
		}
	}()
	in := loadfile.NewReader(&stoppable{file, ctx}, l.format, l.limit)
	if err := st.lines(in, do); errors.Is(err, loadfile.ErrTooLong) {
		return mysqlerr.New(mysqlerr.NetPacketTooLarge).WithCause(err)
	} else if err != nil {
		return err
	}
	return nil
}

func (st *Statement) lines(in *loadfile.Reader, do func([]plan.Cell) error) error {
	l, f := st.load, st.frame
	skip := l.skip
	for ; skip > 0 && in.HasLines(); skip-- {
		if _, more, err := in.EndLine(); err != nil || !more {
			return err
		}
	}
	cells := make([]plan.Cell, len(l.Insert.Columns))
	columns := cells[:len(cells)-copy(cells[len(cells)-len(l.Sets):], l.Sets)]
	variables := f.Session.(functions).now.loaded
	var texts []byte
	for row := uint64(1); ; {
		texts = texts[:0]
		f.Reset()
		column := 0
		for i := range l.Fields {
			field, ok, err := in.Field()
			if err != nil || !ok && i == 0 {
				return err
			}
			to := &l.Fields[i]
			if to.Variable >= 0 {
				if skip == 0 {
					variables[to.Variable].load(field.Data, !ok || field.Null)
				}
				continue
			}
			switch {
			case !ok:
				columns[column] = to.Missing(f, row)
			case field.Null:
				columns[column] = to.Null(f, row)
			default:
				start := len(texts)
				texts = append(texts, field.Data...)
				columns[column] = to.Cell(texts[start:len(texts):len(texts)])
			}
			column++
		}
		if skip > 0 { // without ends of lines, as many rows
			skip--
			continue
		}
		if err := do(cells); err != nil {
			return err
		}
		extra, more, err := in.EndLine()
		if err != nil || !more { // what is cut off at the end of the file is no reason for a warning
			return err
		}
		if extra {
			f.Diag.Warn(mysqlerr.WarnTooManyRecords, row)
			if err := f.Diag.Failed(); err != nil {
				return err
			}
		}
		row++
	}
}

// loadedVariable is a user variable that fields go to.
type loadedVariable struct {
	name  string
	value types.Value // of the line that was read last
	set   bool
}

// load gives a variable the value of a field, which is copied.
func (v *loadedVariable) load(text []byte, null bool) {
	v.value.Text, v.value.Null, v.set = append(v.value.Text[:0], text...), null, true
}

// keepVariables gives the session what the last line has left in its variables.
func (st *Statement) keepVariables() (err error) {
	loaded := st.frame.Session.(functions).now.loaded
	for i := range loaded {
		if v := &loaded[i]; v.set {
			err = errors.Join(err, st.session.Rest.SetUserVariable(v.name, v.value, st.load.Text))
			v.set = false
		}
	}
	return err
}

// loaded is what the client is told of a LOAD DATA.
func (w *writing) loaded() result.OK {
	s, d := w.st.session, &w.done
	copied := d.New + d.Same
	if d.Generated != 0 {
		s.Rest.SetLastInsertID(d.Generated)
	}
	s.Rest.Counted(w.st.plan.Source.Table.ID(), int64(d.New)-int64(d.Deleted))
	return result.OK{AffectedRows: copied + d.Deleted, Info: fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d",
		d.Rows, d.Deleted, d.Rows-copied, s.Warnings.Count())}
}

// stoppable is a file whose reading ends with its statement.
type stoppable struct {
	io.Reader
	ctx context.Context //nolint:containedctx // of the running statement
}

// Read implements io.Reader.
func (r *stoppable) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
