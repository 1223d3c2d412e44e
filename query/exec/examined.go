package exec

import (
	"fmt"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
)

// examined is how many rows LIMIT ROWS EXAMINED counts: those that were read, and those that an INSERT has made of them.
func (s *selection) examined(read int) uint64 {
	if s.p.Source.Place != 0 {
		return uint64(read) + s.shown
	}
	return uint64(read)
}

// incomplete warns that rows are left out.
func (s *selection) incomplete() {
	s.f.Diag.WarnOnly(mysqlerr.QueryResultIncomplete, fmt.Sprintf("LIMIT ROWS EXAMINED %d", *s.p.Limit.Examined))
	s.cut = true
}

// touch counts rows for LIMIT ROWS EXAMINED, and reports whether there may be so many.
func (s *selection) touch(n uint64) bool {
	s.touched += n
	return s.touched <= *s.p.Limit.Examined
}

// written is what is counted of a row that conditions accept, beside that it was read.
func written(counts plan.Examination) uint64 {
	switch counts {
	case plan.CountGroups:
		return 2
	case plan.CountDistinct, plan.CountCopy:
		return 1
	}
	return 0
}

// exceeded ends a walk: with an error if that was to be sorted, else with a warning and no rows.
func (s *selection) exceeded(sorting bool) error {
	if !sorting {
		s.incomplete()
		return nil
	}
	err := mysqlerr.Newf(mysqlerr.FilesortAbort, "Sort aborted: LIMIT ROWS EXAMINED")
	s.f.FailWith(err)
	s.incomplete()
	return err
}

// touchSorted counts the rows of a temporary table that are read to be sorted, and their end.
func (s *selection) touchSorted(rows int) error {
	switch most := *s.p.Limit.Examined; {
	case s.cut:
	case !s.touch(uint64(rows)):
		return s.exceeded(true)
	case s.touched == most:
		return s.exceeded(false)
	}
	s.touched++
	return nil
}

// touchShown counts a row that is read from a temporary table to be shown, and reports whether there may be one more.
func (s *selection) touchShown() bool {
	if c := s.p.Limit.Counts; c == plan.CountPass || c == plan.CountSort || s.touch(1) {
		return true
	}
	s.incomplete()
	return false
}

// touchEnd counts the end of a temporary table that was not sorted.
func (s *selection) touchEnd() error {
	if c := s.p.Limit.Counts; (c == plan.CountCopy || c == plan.CountDistinct && len(s.order) == 0) && !s.touch(1) {
		s.incomplete()
	}
	return nil
}
