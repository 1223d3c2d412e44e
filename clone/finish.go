package clone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// InfoName is the file in the new data directory that has the place of the snapshot, as mariadb-backup writes it: file, position and GTID position,
// separated by tabs.
const InfoName = "clone_binlog_info"

// finish empties the new server's log, and says from where it follows.
func (t *target) finish(ctx context.Context, o *Options, s *source, at place) error {
	// What the statements before did not log stands in the log all the same, as private records.
	if err := execAll(ctx, t.admin, "RESET MASTER"); err != nil {
		return err
	}
	if o.NoFollow {
		return nil
	}
	if s.flavor == mySQL {
		return execAll(ctx, t.admin, s.followMySQL(at)...)
	}
	// As begin does, of what a position tells.
	if at.GTID != "" {
		if err := execAll(ctx, t.admin, "SET GLOBAL gtid_binlog_state = "+quoteText(at.GTID)); err != nil {
			return err
		}
	}
	return execAll(ctx, t.admin, "SET GLOBAL gtid_slave_pos = "+quoteText(at.GTID))
}

// follow names the primary. It comes first, and so does a trial of what finish will say, so that a server that cannot follow is known of before
// hours are spent.
func (t *target) follow(ctx context.Context, o *Options, s *source) error {
	if err := t.namePrimary(ctx, o, s.how()); err != nil {
		return err
	}
	trial := []string{fmt.Sprintf("SET GLOBAL gtid_slave_pos = '0-%d-1'", o.ServerID), "SET GLOBAL gtid_slave_pos = ''"}
	if s.flavor == mySQL {
		trial = []string{"SET GLOBAL gtid_purged = '00000000-0000-0000-0000-000000000001:1'", "SET GLOBAL gtid_purged = ''"}
	}
	if err := execAll(ctx, t.admin, trial...); err != nil {
		return fmt.Errorf("%w%s", err, noFollowHint)
	}
	return nil
}

// noFollowHint ends errors about following.
const noFollowHint = "; --no-follow makes a server that follows nobody"

func (t *target) namePrimary(ctx context.Context, o *Options, by primary.GTIDMode) error {
	statement, err := changeMaster(o, by)
	if err != nil {
		return err
	}
	if _, err := t.admin.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("CHANGE MASTER: %w%s", err, noFollowHint) // without the statement, which holds a password
	}
	return nil
}

// changeMaster is the statement that names the primary, with what tryFollowing has tried.
func changeMaster(o *Options, by primary.GTIDMode) (string, error) {
	parts := []string{
		"MASTER_HOST = " + quoteText(o.Source.Host), "MASTER_PORT = " + strconv.Itoa(o.Source.Port),
		"MASTER_USER = " + quoteText(o.ReplicationUser), "MASTER_PASSWORD = " + quoteText(o.ReplicationPassword),
		"MASTER_USE_GTID = " + strings.ToLower(by.Shown()),
	}
	s := o.Source
	for _, path := range []*string{&s.CA, &s.Cert, &s.Key} {
		if *path != "" { // the new server may be started in another directory
			absolute, err := filepath.Abs(*path)
			if err != nil {
				return "", err
			}
			*path = absolute
		}
	}
	if o.followsWithTLS() {
		parts = append(parts, "MASTER_SSL = 1")
		if s.CA != "" {
			parts = append(parts, "MASTER_SSL_CA = "+quoteText(s.CA))
		}
		if s.Cert != "" {
			parts = append(parts, "MASTER_SSL_CERT = "+quoteText(s.Cert), "MASTER_SSL_KEY = "+quoteText(s.Key))
		}
		if s.Verify {
			parts = append(parts, "MASTER_SSL_VERIFY_SERVER_CERT = 1")
		}
	}
	return "CHANGE MASTER TO " + strings.Join(parts, ", "), nil
}

// writeFiles writes what stands beside the data: the place of the snapshot, and the options that the server was made with. Its id decides what it takes
// for its own events.
func (t *target) writeFiles(o *Options, at place) error {
	if at.File != "" {
		text := fmt.Sprintf("%s\t%d\t%s\n", at.File, at.Position, strings.ReplaceAll(at.GTID, "\n", ""))
		if err := writeSynced(filepath.Join(t.dir, InfoName), text); err != nil {
			return err
		}
	}
	args := o.serverArgs()
	if len(args) == 0 {
		return nil
	}
	text := "[duramen]\n"
	for _, a := range args {
		text += strings.TrimPrefix(a, "--") + "\n"
	}
	return writeSynced(filepath.Join(t.dir, "my.cnf"), text)
}

// writeSynced writes a file that is durable when its directory is synced: a server whose my.cnf a loss of power has emptied would have another id.
func writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// serverArgs are the options of the new server that stay.
func (o *Options) serverArgs() []string {
	if o.ServerID == 0 {
		return o.ServerArgs
	}
	return append([]string{"--server_id=" + strconv.FormatUint(uint64(o.ServerID), 10)}, o.ServerArgs...)
}
