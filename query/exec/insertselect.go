package exec

import "context"

// reservedMost bounds how many AUTO_INCREMENT values are reserved together where it is not known how many rows will come (AUTO_INC_DEFAULT_NB_MAX
// in MariaDB's sql/handler.cc).
const reservedMost = 1<<16 - 1

// query adds the rows that a query gives.
func (in *insertion) query(ctx context.Context, reads Reads) error {
	reads.First = in.p.Itself()
	grouped := in.p.Query.Group != nil
	return Select(ctx, in.p.Query, reads, in.f, func() error {
		if grouped {
			in.f.Row = in.done.Rows + 1
		}
		return in.given(ctx)
	})
}

// given adds the row that the frame shows.
func (in *insertion) given(ctx context.Context) error { return in.row(ctx, in.p.Given) }

// reserve is for how many rows AUTO_INCREMENT values are to be reserved now: all that are written out, whichever is the first to need one, later
// those that are left of them; or twice as many as the last time.
func (in *insertion) reserve() uint64 {
	switch {
	case !in.auto.Empty():
	case in.p.Query != nil || in.p.Loads:
		in.reserved = max(1, min(2*in.reserved, reservedMost))
	case in.reserved == 0:
		in.reserved = uint64(in.p.Count)
	default: // values that the statement has brought along are beyond those that were reserved
		in.reserved = uint64(in.p.Count) - (in.done.Rows - 1)
	}
	return in.reserved
}

// returned shows a row that is in the table now, if it is asked for.
func (in *insertion) returned(image []byte) error {
	if in.p.Returning == nil {
		return nil
	}
	if in.p.Early {
		image = in.early
	}
	in.f.Rows[0].Set(image)
	return in.emit()
}
