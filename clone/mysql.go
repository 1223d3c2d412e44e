package clone

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// checkMySQL finds out how the new server follows a MySQL, and refuses one whose log would not do.
func (s *source) checkMySQL(ctx context.Context, o *Options) error {
	r, err := queryOne(ctx, s.admin, "SELECT @@GLOBAL.gtid_mode AS mode, @@GLOBAL.log_slave_updates AS logs, @@GLOBAL.binlog_row_value_options AS options")
	if err != nil {
		return fmt.Errorf("ask the source what it logs: %w", err)
	}
	s.byPosition = !strings.EqualFold(r["mode"], "ON")
	if s.byPosition {
		_, _ = fmt.Fprintf(o.Progress, "clone: the source's gtid_mode is %s, and not ON: the new server will follow by file and position, which after a crash of it may be before what it has executed\n", r["mode"])
	}
	if r["options"] != "" {
		return fmt.Errorf("the source logs parts of JSON documents, which the new server does not read: SET GLOBAL binlog_row_value_options = '' there (it is %s), or give --no-follow", r["options"])
	}
	if r["logs"] == "1" {
		return nil
	}
	channels, err := query(ctx, s.admin, "SELECT CHANNEL_NAME FROM performance_schema.replication_connection_configuration WHERE CHANNEL_NAME NOT LIKE 'group\\_replication\\_%'")
	if err != nil {
		return fmt.Errorf("ask the source whom it follows: %w", err)
	}
	if len(channels) > 0 {
		return errors.New("the source does not log what it receives from its primary (log_replica_updates=0): clone the primary, or give --no-follow")
	}
	return nil
}

// ofMySQL gives a definition of a MySQL collations that the new server has.
func (d *definition) ofMySQL() {
	d.create, d.refused = logged.OfMySQL(d.create, d.sqlMode)
	if c, ok := charset.OfMySQLName(d.collation); ok {
		d.collation = c.Name()
	}
}

// how says by what the new server follows.
func (s *source) how() primary.GTIDMode {
	if s.byPosition {
		return primary.NoGTID
	}
	return primary.SlavePos
}

// checkSet refuses a set of a MySQL's transactions that the new server cannot keep. What it cannot read has tags.
func (s *source) checkSet(at place, o *Options) error {
	if o.NoFollow || s.flavor != mySQL || s.byPosition {
		return nil
	}
	if _, err := gtid.ParseSet(at.GTID); err != nil {
		return fmt.Errorf("the new server cannot follow by the set of transactions that the source has executed (GTIDs with tags are not read): %w%s", err, noFollowHint)
	}
	return nil
}

// followMySQL are the statements that have the new server follow a MySQL from a place in its log.
func (s *source) followMySQL(at place) []string {
	if s.byPosition {
		return []string{"CHANGE MASTER TO MASTER_USE_GTID = no, MASTER_LOG_FILE = " + quoteText(at.File) + ", MASTER_LOG_POS = " + strconv.FormatUint(at.Position, 10)}
	}
	return []string{"SET GLOBAL gtid_purged = " + quoteText(at.GTID)}
}
