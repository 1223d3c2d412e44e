package apply

import (
	"context"
	"slices"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// treatment is what becomes of a group.
type treatment uint8

const (
	applied treatment = iota
	// gone: it is in the log already.
	gone
	// emptied: it is logged without its changes.
	emptied
)

// keepOwn notes GTIDs of this server's own that have come back, and after which no other group of their domains has come, as the place where it is.
func (a *Applier) keepOwn() error {
	if len(a.ownSeen) == 0 {
		return nil
	}
	seen := a.ownSeen
	a.ownSeen = nil
	return a.txns.Reposition(context.Background(), gtid.Reposition{Pos: seen, Merge: true})
}

// stateDuplicate is what MariaDB shows of a SQL thread that waits for a domain.
const stateDuplicate = "Waiting for other master connection to process the same GTID"

// begin begins a group.
func (a *Applier) begin(ctx context.Context, p *primary.Part) error {
	executed := false
	if p.MySQL.Valid() && a.opts.Executions != nil {
		var err error
		if executed, err = a.opts.Executions.Claim(p.MySQL); err != nil {
			return err
		}
	}
	a.group, a.how, a.inside = p, applied, false
	g := p.GTID.GTID
	own := a.opts.Own != nil && a.opts.Own(g)
	switch {
	case executed:
		a.how = gone
		return nil
	case own && p.MySQL.Valid():
		a.how = emptied // its GTID must not be missing
	case own:
		a.how = gone
		if g.Seq == 0 {
			return nil // of a MySQL, which says no number
		}
		// If a group before it fails that was only taken, the position must not pass that.
		if err := a.crew.flush(ctx); err != nil {
			return err
		}
		if a.ownSeen == nil {
			a.ownSeen = gtid.Position{}
		}
		a.ownSeen.Update(g)
		return nil
	}
	delete(a.ownSeen, g.Domain)
	if own {
		return nil
	}
	if a.opts.Applied.holds(g) {
		a.how = gone
		return nil
	}
	mine, err := a.claim(ctx, p)
	switch {
	case err != nil:
		return err
	case !mine:
		a.how = gone
	case a.ignored(p) || a.report.Skips(p):
		a.how = emptied
	}
	return nil
}

// claim reports whether a group is this applier's to apply, which it is unless another connection has brought it already (gtid_ignore_duplicates).
func (a *Applier) claim(ctx context.Context, p *primary.Part) (mine bool, err error) {
	d, g := a.opts.Duplicates, p.GTID.GTID
	switch {
	case d == nil || g.Seq == 0: // a MySQL's
		return true, nil
	case !a.opts.GTIDs:
		a.ended = func(durable bool) { d.note(g, durable) }
		return true, nil
	case a.ignored(p): // another connection may want it: as an empty group it would be lost there
		return false, nil
	}
	if mine, err = d.claim(ctx, a, g, func() { a.report.State(stateDuplicate) }); mine {
		a.ended = func(durable bool) { d.release(g, durable) }
	}
	return mine, err
}

// ignored reports whether a connection leaves a group out.
func (a *Applier) ignored(p *primary.Part) bool {
	g := p.GTID.GTID
	return slices.Contains(a.opts.IgnoreServerIDs, g.Server) || slices.Contains(a.opts.IgnoreDomains, g.Domain) ||
		len(a.opts.DoDomains) > 0 && !slices.Contains(a.opts.DoDomains, g.Domain)
}

// ending takes who has to be told of the end of the group.
func (a *Applier) ending() (ended func(durable bool)) {
	ended, a.ended = a.ended, nil
	return ended
}
