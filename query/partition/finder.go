package partition

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/row"
)

// Finder finds the partitions of rows. It is used by one goroutine.
type Finder struct {
	rule    *Rule
	frame   *eval.Frame
	reader  *row.Reader
	bounds  [][]byte
	missing string // for what there is no partition
}

// Finder makes a finder.
func (r *Rule) Finder() *Finder {
	x := &Finder{rule: r, frame: newFrame(r.env), reader: row.NewReader(r.table.Layout)}
	x.frame.Rows = []*row.Reader{x.reader}
	return x
}

// Find is the place of the partition that a row belongs to, or of its subpartition: see Rule.Places. Error 1526 says that there is none.
func (x *Finder) Find(image []byte) (int, error) {
	x.frame.Reset()
	x.reader.Set(image)
	at := x.rule.by.place(x)
	if err := x.failed(); err != nil {
		return -1, err
	}
	if at < 0 {
		return -1, mysqlerr.New(mysqlerr.NoPartitionForGivenValue, x.missing)
	}
	if x.rule.sub == nil {
		return at, nil
	}
	sub := x.rule.sub.place(x)
	return at*x.rule.Subs + sub, x.failed()
}

// failed is the error of what was computed last. Conditions are forgotten: MariaDB shows none.
func (x *Finder) failed() error {
	if err := x.reader.Err(); err != nil {
		return err
	}
	conditions := x.frame.Diag.Conditions
	x.frame.Diag.Conditions, x.frame.Diag.Dropped = nil, 0
	for _, c := range conditions {
		if c.Number == mysqlerr.DivisionByZero { // an error of strict sessions; others would have NULL
			return mysqlerr.New(mysqlerr.DivisionByZero)
		}
	}
	if err := x.frame.Diag.Failed(); err != nil {
		x.frame.Diag.Forgive()
		return err
	}
	return nil
}
