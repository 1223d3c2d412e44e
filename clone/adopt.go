package clone

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/server"
	"github.com/duramendb/duramen/store/shipment"
)

// adopt makes a server of its own of the source's files. Its recovery replays what the engines' files lack, and ends at the place of the shipment. Then it gets
// an empty log: the one that came with the files has the source's transactions under the names and the positions of the source's files, and what that
// logged for itself alone.
func (t *target) adopt(ctx context.Context, o *Options, m *shipment.Manifest) (*Result, error) {
	point, err := gtid.ParsePoint(m.Point)
	if err != nil {
		return nil, fmt.Errorf("the source's place in GTIDs: %w", err)
	}
	if err := t.start(ctx, o); err != nil {
		return nil, fmt.Errorf("the source's files do not make a server: %w", err)
	}
	if err := t.arrived(ctx, point); err != nil {
		return nil, err
	}
	if err := t.disableEvents(ctx); err != nil {
		return nil, err
	}
	tables, err := queryOne(ctx, t.admin, "SELECT COUNT(*) AS n FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND "+
		"TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')")
	if err != nil {
		return nil, err
	}
	if err := t.begin(ctx, o, point); err != nil {
		return nil, err
	}
	if err := t.stop(); err != nil {
		return nil, err
	}
	if o.Verify {
		var found bytes.Buffer
		if err := server.CheckUnfinished(ctx, t.dir, &found); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, strings.TrimSpace(found.String()))
		}
	}
	at := place{File: m.LogFile, Position: m.Position, GTID: followFrom(point).String()}
	if err := t.writeFiles(o, at); err != nil {
		return nil, err
	}
	if err := t.complete(); err != nil {
		return nil, err
	}
	r := &Result{Method: MethodFiles, File: at.File, Position: at.Position, GTID: at.GTID, Files: int64(len(m.Files)), Bytes: m.Bytes()}
	_, err = fmt.Sscan(tables["n"], &r.Tables)
	return r, err
}

// arrived compares where recovery has come to with where the source was.
func (t *target) arrived(ctx context.Context, point gtid.Point) error {
	var state, received string
	if err := t.admin.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_binlog_state, @@GLOBAL.gtid_slave_pos").Scan(&state, &received); err != nil {
		return err
	}
	if state != point.State.String() || received != point.Replicated.String() {
		return fmt.Errorf("the source's files end at gtid_binlog_state %q, gtid_slave_pos %q, and the source said %q, %q",
			state, received, point.State, point.Replicated)
	}
	return nil
}

// disableEvents keeps the source's events from being run by its replica.
func (t *target) disableEvents(ctx context.Context) error {
	databases, err := oneText(ctx, t.admin, "SELECT DISTINCT EVENT_SCHEMA FROM information_schema.EVENTS WHERE STATUS = 'ENABLED' ORDER BY EVENT_SCHEMA")
	if err != nil {
		return err
	}
	self := &source{admin: t.admin}
	for _, name := range databases {
		inv := &inventory{}
		if err := self.readEvents(ctx, inv, name); err != nil {
			return err
		}
		for _, d := range inv.definitions {
			if !d.enabled {
				continue
			}
			if err := t.settled(ctx, d, d.disable()); err != nil {
				return err
			}
		}
	}
	return nil
}

// followFrom is gtid_slave_pos of a server that has everything up to a point of another one, which it follows. What is in the other one's log is asked for
// by the last GTID of each domain there. Of a domain that is in no log, what the other one has received before its log began is the position.
func followFrom(point gtid.Point) gtid.Position {
	position := point.State.Position()
	for domain, g := range point.Replicated {
		if _, logged := position[domain]; !logged {
			position.Update(g)
		}
	}
	return position
}

// begin replaces the log, and says from where the server follows. What the source knew of its own primaries is no matter of the new server.
//
// gtid_binlog_state becomes what it was on the source. So a replica of the new server that lacks something from before is told that it was purged (error
// 1236), instead of never getting it; and the numbers of what is written here go on after those of the source, should this server become a primary.
func (t *target) begin(ctx context.Context, o *Options, point gtid.Point) error {
	if err := execAll(ctx, t.admin, "RESET MASTER"); err != nil {
		return err
	}
	state, position := "", ""
	if !o.NoFollow {
		if err := t.namePrimary(ctx, o, primary.SlavePos); err != nil {
			return err
		}
		all := point.State.Clone()
		for domain, g := range followFrom(point) {
			if _, logged := point.State.Position()[domain]; !logged {
				all.Update(g)
			}
		}
		state, position = all.String(), followFrom(point).String()
	}
	statements := []string{"SET GLOBAL gtid_slave_pos = " + quoteText(position)}
	if state != "" {
		statements = append([]string{"SET GLOBAL gtid_binlog_state = " + quoteText(state)}, statements...)
	}
	if len(point.Executed) > 0 {
		statements = append(statements, "SET GLOBAL gtid_purged = ''")
	}
	return execAll(ctx, t.admin, statements...)
}
