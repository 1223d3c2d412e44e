package enginebench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/turns"
)

// Result is what Run measured.
type Result struct {
	Options Options
	Machine string
	Slices  []Slice
}

// Run measures. With an error, the Result holds what was measured before; it is nil if nothing was.
func Run(ctx context.Context, o Options) (res *Result, err error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, "enginebench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	res = &Result{Options: o, Machine: device.Describe(o.Dir)}
	var contenders []*contender
	var names []string
	for _, rows := range o.Rows {
		for _, kind := range o.Kinds {
			c := &contender{kind: kind, rows: rows, dir: filepath.Join(dir, fmt.Sprint(rows), kind.Dir()), table: newTable(&o, uint64(rows))}
			contenders, names = append(contenders, c), append(names, c.name())
		}
	}
	for _, c := range contenders {
		if err := c.prepare(ctx, o.Progress); err != nil {
			return nil, err
		}
	}
	err = turns.Run(ctx, turns.Options{Rounds: o.Rounds, Names: names, Progress: o.Progress}, func(ctx context.Context, t turns.Turn) error {
		s, err := contenders[t.Cell].turn(ctx, &o)
		if err != nil {
			return err
		}
		s.Bench, s.Round = "engine", t.Round
		res.Slices = append(res.Slices, s)
		if o.Raw == nil {
			return nil
		}
		return json.NewEncoder(o.Raw).Encode(s)
	})
	if len(res.Slices) == 0 {
		return nil, err
	}
	return res, err
}

// of are the slices of an engine with a number of rows.
func (r *Result) of(engine string, rows int) (list []*Slice) {
	for i := range r.Slices {
		if s := &r.Slices[i]; s.Engine == engine && s.Rows == rows {
			list = append(list, s)
		}
	}
	return list
}
