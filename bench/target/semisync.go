package target

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	semiSyncPoll     = 20 * time.Millisecond
	semiSyncPatience = time.Minute
)

// EnableSemiSync has commits wait for the acknowledgement of a replica, also if a time-out had ended that. No replica should be connected.
func (s *Server) EnableSemiSync(ctx context.Context) error {
	for _, value := range []string{"OFF", "ON"} {
		if err := setGlobal(ctx, s.db, "rpl_semi_sync_master_enabled", value); err != nil {
			return fmt.Errorf("%s: %w", s.Contender, err)
		}
	}
	return nil
}

// AwaitSemiSync waits until a replica that acknowledges is connected. Before that a commit would wait for longer than it takes.
func (s *Server) AwaitSemiSync(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, semiSyncPatience, fmt.Errorf("no replica that acknowledges was connected after %v", semiSyncPatience))
	defer cancel()
	tick := time.NewTicker(semiSyncPoll)
	defer tick.Stop()
	for {
		rows, err := s.texts(ctx, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_clients', 'Rpl_semi_sync_master_status')", 2)
		if err != nil && ctx.Err() == nil {
			return err
		}
		status := map[string]string{}
		for _, r := range rows {
			status[strings.ToLower(r[0])] = r[1]
		}
		if n := status["rpl_semi_sync_master_clients"]; n != "" && n != "0" && status["rpl_semi_sync_master_status"] == "ON" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", s.Contender, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// Checksums are, for each table of the benchmark's database, the number of its rows and a sum of checksums of all their values, which no order
// of the rows changes: equal on two servers that have the same rows.
func (s *Server) Checksums(ctx context.Context) (map[string]string, error) {
	columns, err := s.texts(ctx, "SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '"+Database+"' ORDER BY TABLE_NAME, ORDINAL_POSITION", 2)
	if err != nil {
		return nil, err
	}
	terms := map[string][]string{}
	for _, c := range columns {
		terms[c[0]] = append(terms[c[0]], "COALESCE(`"+c[1]+"`, 'NULL')")
	}
	sums := make(map[string]string, len(terms))
	for table, values := range terms {
		rows, err := s.texts(ctx, fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS(',', %s))), 0) FROM `%s`.`%s`", strings.Join(values, ", "), Database, table), 2)
		if err != nil {
			return nil, err
		}
		sums[table] = rows[0][0] + " " + rows[0][1]
	}
	return sums, nil
}
