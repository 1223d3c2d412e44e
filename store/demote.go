package store

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/logpos"
)

// A primary that crashed and comes back as a replica of its successor (--init-rpl-role=SLAVE) may have transactions in its log that no replica has
// acknowledged. They were never applied to an engine, if commits waited before they were visible (semi-sync, AFTER_SYNC), so the log is cut before
// the first transaction of this server's own that is after the mark of every engine. Of what is cut the acknowledged part is at the
// successor, and comes back from there; the rest stays in the directory of lost files. Marks lag, so most of what is cut comes back.
//
// What came by replication is left in the log until then: it is the log of somebody else, who has it. What no replica ever gets
// (sql_log_bin=0) must not be cut, as it would not come back: then nothing is done.
//
// # A crash during the cut
//
// The log that is left in the middle of it would be decided about otherwise. So the place is written to a file first, and a start that finds the
// file cuts there, whatever its options say; the file goes when the log has its new end and before an engine is opened.

// cut is the end of the log that Options.Demote asks for. The zero value is none.
type cut struct {
	until binlog.Until
	// report tells of it when it is done; nil for one that an earlier start has begun.
	report func()
}

// cutName is the file with the place, as --recover-until takes it.
const cutName = "demote.cut"

// decide decides whether the log is cut, and where: that is what the decisions' until is then.
func (c *cut) decide(s *Store, ds decisions) error {
	interrupted, err := readCut(&s.opts)
	if err != nil {
		return s.fail("read the place at which a cut was begun in", nil, err)
	}
	switch {
	case !s.opts.RecoverUntil.IsZero():
		return nil
	case !interrupted.IsZero():
		c.endAt(ds, interrupted)
		return nil
	case !s.opts.Demote:
		return nil
	}
	var mark logpos.Pos
	for _, d := range ds.known() {
		if mark.Before(d.mark.Position) {
			mark = d.mark.Position
		}
	}
	own, err := binlog.FindOwn(s.logOptions(), mark)
	if err != nil {
		return s.fail("recover the binary log of", nil, err)
	}
	if own.From.IsZero() {
		return nil
	}
	base := ds[0].basename
	for _, d := range ds.known() {
		base = d.basename
	}
	if s.protocol != nil {
		return &OpenError{Dir: s.opts.Dir, Op: "recover", Kind: ErrOption, Unchanged: true,
			Err:  errors.New("--init-rpl-role=SLAVE cannot cut the log of a directory with another commit protocol than onelog"),
			Hint: "start without --init-rpl-role"}
	}
	if !own.Local.IsZero() {
		file, at := mariadbPlace(own.From, base)
		unsafeFile, unsafeAt := mariadbPlace(own.Local, base)
		return &OpenError{Dir: s.opts.Dir, Op: "recover", Unchanged: true,
			Err: fmt.Errorf("unsafe for --init-rpl-role=SLAVE: Cannot truncate the binary log to file:%s pos:%s as unsafe statement is found at file:%s pos:%s which is beyond the truncation position;"+
				"all transactions in doubt are left intact", file, at, unsafeFile, unsafeAt),
			Hint: "a transaction of sql_log_bin=0 ends there, which no other server has. To keep it, and what may never have been acknowledged, start without --init-rpl-role; " +
				fmt.Sprintf("to lose both, start once with --recover-until=%s (the files are kept)", own.From.In(base))}
	}
	file, at := mariadbPlace(own.From, base)
	c.report = func() {
		s.logger.Warn(fmt.Sprintf("Successfully truncated binlog file:%s from previous file size %d to pos:%s to remove transactions starting from GTID %s",
			file, own.FirstFileBytes, at, own.GTIDs[0]), "transactions", own.Groups, "gtids", gtidList(own))
		s.logger.Warn("what was removed and is acknowledged by a replica comes back from this server's successor; " +
			"if commits did not wait for a replica (rpl_semi_sync_master_enabled was off, or a wait had timed out), clients may have been told of what was removed")
	}
	c.endAt(ds, binlog.Until{Pos: own.From})
	return nil
}

// endAt makes the log end there.
func (c *cut) endAt(ds decisions, place binlog.Until) {
	c.until = place
	for _, d := range ds {
		d.until = place
	}
}

// mariadbPlace is a position as MariaDB's messages have it.
func mariadbPlace(p logpos.Pos, base string) (file, offset string) {
	text := p.In(base)
	i := strings.LastIndexByte(text, ':')
	return "./" + text[:i], text[i+1:]
}

// gtidList is what is cut, for an operator; of many the first and the last ones.
func gtidList(own binlog.Own) string {
	var b strings.Builder
	for i, g := range own.GTIDs {
		switch {
		case i == binlog.OwnListed/2 && own.Groups > binlog.OwnListed:
			b.WriteString(",...,")
		case i > 0:
			b.WriteByte(',')
		}
		b.WriteString(g.String())
	}
	return b.String()
}

func cutPath(o *Options) string { return o.FS.PathJoin(o.Dir, cutName) }

// readCut is the place at which an earlier start has begun to cut; zero if none has, or it is through.
func readCut(o *Options) (binlog.Until, error) {
	f, err := o.FS.Open(cutPath(o))
	if oserror.IsNotExist(err) {
		return binlog.Until{}, nil
	}
	if err != nil {
		return binlog.Until{}, err
	}
	text, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return binlog.Until{}, err
	}
	return binlog.ParseUntil(strings.TrimSpace(string(text)), o.LogBasename)
}

// note makes the place durable at which the log is about to be cut: the end that it will have, which it also is when the cut is half done.
func (c *cut) note(o *Options, log binlog.Options, end logpos.Pos) error {
	if c.until.IsZero() {
		return nil
	}
	log.EnsureDefaults()
	fs, temp := o.FS, cutPath(o)+".new"
	f, err := fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, end.In(log.Basename)+"\n")
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(temp, cutPath(o)); err != nil {
		return err
	}
	return syncDir(fs, o.Dir)
}

// done says that the log has its end. Before this no transaction can have been begun.
func (c *cut) done(o *Options) error {
	err := o.FS.Remove(cutPath(o))
	if oserror.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = syncDir(o.FS, o.Dir)
	}
	if err == nil && c.report != nil {
		c.report()
	}
	return err
}
