package exec

import (
	"errors"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/partition"
	"github.com/duramendb/duramen/query/plan"
)

// places are the partitions that a statement reads, or writes to.
type places struct {
	finder   *partition.Finder
	selected map[int]bool // nil: all
}

// newPlaces are those that a statement writes to; nil of a table without partitions.
func newPlaces(src *plan.Source) *places {
	if src.Partitions == nil {
		return nil
	}
	return &places{src.Partitions.Finder(), src.Selected}
}

// selected are those that a statement reads; nil for all.
func selected(src *plan.Source) *places {
	if src.Selected == nil {
		return nil
	}
	return newPlaces(src)
}

// selects reports whether a row is in one of the partitions.
func (p *places) selects(image []byte) (bool, error) {
	at, err := p.finder.Find(image)
	return err == nil && p.selected[at], err
}

// allow refuses a row that is to be stored and has no partition (error 1526), or none of those that are selected (1748).
func (p *places) allow(image []byte) error {
	if p == nil {
		return nil
	}
	at, err := p.finder.Find(image)
	if err == nil && p.selected != nil && !p.selected[at] {
		err = mysqlerr.New(mysqlerr.PartitionOtherSet)
	}
	return err
}

// isPlace reports whether an error is about the partition of a row, which a statement with IGNORE leaves out.
func isPlace(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e) && (e.Number == mysqlerr.NoPartitionForGivenValue || e.Number == mysqlerr.PartitionOtherSet)
}
