package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replay"
)

// Recovery decides before it changes anything: the log's plan and the engine's mark
// are read first, and meet in the table below; see the package comment.

// logFact is what the log's plan says.
type logFact int

const (
	logGood    logFact = iota // it can be used, after its torn tail, if any, is cut
	logDamaged                // it is valid up to the plan's end only
	logAnew                   // it is damaged, and to begin anew at the engine's mark
)

// engineFact is where the engine's mark lies, compared with the (valid) log.
type engineFact int

const (
	engineBehind  engineFact = iota // inside the log, before its end
	engineLevel                     // at its end
	engineAhead                     // after its end
	engineEarlier                   // before its beginning
	engineAtStart                   // in a file before its first, which was begun when nothing before was needed
	engineAstray                    // inside the log, but in the middle of a group
	engineInside                    // it holds a part of the next group (a replay was interrupted), and the log has no next group
)

// verdict is what the table decides.
type verdict int

const (
	start   verdict = iota // replay what the engine lacks, if anything, and start
	moveTo                 // tell the engine the log's first position, and start
	corrupt                // refuse: ErrCorrupt
	purged                 // refuse: ErrPurged
)

// recoveryRow is a line of the table log x engine.
type recoveryRow struct {
	log     logFact
	engine  engineFact
	verdict verdict
	// cause is the fault that leaves things like this.
	cause string
	// reason makes the error, and what an operator can do.
	reason func(d *decision) (err error, hint string)
}

// recoveryTable has one row for each log and engine.
var recoveryTable = []recoveryRow{
	{logGood, engineBehind, start, "a crash, or a shutdown before a checkpoint", nil},
	{logGood, engineLevel, start, "a shutdown", nil},
	{logGood, engineAhead, corrupt, "log files that were lost, replaced or put back; or damage in the last durable write, which looks like a torn tail", engineIsAhead},
	{logGood, engineEarlier, purged, "log files that were removed by hand", filesAreMissing},
	{logGood, engineAtStart, moveTo, "a crash after the log was begun anew", nil},
	{logGood, engineAstray, corrupt, "log files of another server or another time", positionIsAstray},
	{logGood, engineInside, corrupt, "damage in the last durable write, which looks like a torn tail, after a replay that was interrupted; or --recover-until before its end", engineIsInside},
	{logDamaged, engineInside, corrupt, "a changed, lost or truncated file, after a replay that was interrupted", logIsDamaged},
	{logDamaged, engineBehind, corrupt, "a changed, lost or truncated file", logIsDamaged},
	{logDamaged, engineLevel, corrupt, "a changed, lost or truncated file", logIsDamaged},
	{logDamaged, engineAhead, corrupt, "a changed, lost or truncated file, in a part that the engine holds already", logIsDamagedBefore},
	{logDamaged, engineEarlier, corrupt, "lost files, and damage", logIsDamaged},
	{logDamaged, engineAtStart, corrupt, "damage, in a log that was begun anew", logIsDamaged},
	{logDamaged, engineAstray, corrupt, "files of another server, and damage", logIsDamaged},
	{logAnew, engineLevel, moveTo, "--recover-until at the engine's mark, in spite of damage before it", nil},
}

// decision is what is known of an engine before anything is changed.
type decision struct {
	kind engine.Kind
	// alone says that there is no other engine.
	alone    bool
	plan     *binlog.Plan // of the log, as seen from the mark
	row      *recoveryRow
	mark     engine.Mark
	basename string
	until    binlog.Until
	// unfinished says that the engine holds a part of the group after its mark.
	unfinished bool
	// fresh engines have nothing to recover: they keep nothing over a restart, or are new in this directory.
	fresh bool
}

// engineFact compares the mark with the plan.
func (d *decision) facts() (logFact, engineFact) {
	p, at := d.plan, d.mark.Position
	lf := logGood
	switch {
	case p.Anew && !d.unfinished:
		return logAnew, engineLevel
	case p.Damage != nil:
		lf = logDamaged
	}
	if d.unfinished && (p.Anew || p.State == nil || p.State.String() == gtid.StateText(d.mark.GTIDState)) {
		return lf, engineInside
	}
	switch {
	case at == p.End:
		return lf, engineLevel
	case !p.First.IsZero() && at.Segment < p.First.Segment && !at.IsZero():
		if p.Complete && p.FirstState.String() == gtid.StateText(d.mark.GTIDState) {
			return lf, engineAtStart
		}
		return lf, engineEarlier
	case p.First.Segment > 1 && at.IsZero(): // an engine without anything, and the log's beginning is gone
		return lf, engineEarlier
	case p.End.Before(at):
		return lf, engineAhead
	case !at.IsZero() && !p.Boundary:
		return lf, engineAstray
	}
	return lf, engineBehind
}

func rowFor(l logFact, e engineFact) *recoveryRow {
	for i := range recoveryTable {
		if recoveryTable[i].log == l && recoveryTable[i].engine == e {
			return &recoveryTable[i]
		}
	}
	panic(fmt.Sprintf("store: no row of the recovery table for log %d, engine %d", l, e))
}

func (d *decision) position(p logpos.Pos) string {
	if p.IsZero() {
		return "its beginning"
	}
	return p.In(d.basename)
}

// text is the engine in sentences.
func (d *decision) text() string {
	if d.alone {
		return "the storage engine"
	}
	return "the storage engine " + d.kind.Name()
}

func (d *decision) markText() string { return d.position(d.mark.Position) }

func engineIsAhead(d *decision) (error, string) {
	err := fmt.Errorf("%s holds everything up to %s (GTIDs %q), but the binary log ends at %s: log files were lost or replaced, or their end was damaged",
		d.text(), d.markText(), d.mark.GTIDState, d.position(d.plan.End))
	if !d.until.IsZero() {
		return fmt.Errorf("%s holds everything up to %s (GTIDs %q): recovery cannot end before that, at %s",
				d.text(), d.markText(), d.mark.GTIDState, d.position(d.plan.End)),
			fmt.Sprintf("if the start with --recover-until has succeeded before, remove the option; otherwise give %s or a later place, or restore a backup and replay the log up to there", d.markText())
	}
	if d.plan.End.IsZero() {
		err = fmt.Errorf("%s holds everything up to %s (GTIDs %q), but there is no binary log", d.text(), d.markText(), d.mark.GTIDState)
	}
	return err, "put the missing log files and their index back, or restore a backup"
}

func engineIsInside(d *decision) (error, string) {
	return fmt.Errorf("%s holds a part of the transaction after %s (GTIDs %q), because its recovery was interrupted, but the binary log ends at %s",
			d.text(), d.markText(), d.mark.GTIDState, d.position(d.plan.End)),
		"start without --recover-until, or give a place after that transaction; if there was none, put the missing log files and their index back, or restore a backup"
}

func filesAreMissing(d *decision) (error, string) {
	return fmt.Errorf("%s holds everything up to %s, but the oldest binary log file begins later, at %s",
		d.text(), d.markText(), d.position(d.plan.First)), "put the missing log files and their index back, or restore a backup"
}

func positionIsAstray(d *decision) (error, string) {
	return fmt.Errorf("%s holds everything up to %s, which is not the end of a transaction in the binary log: log files were replaced",
		d.text(), d.markText()), "put the log files back that belong to this data directory, or restore a backup"
}

func logIsDamaged(d *decision) (error, string) {
	hint := "look at the place named above (duramen binlog show), and put an undamaged copy of the file back, or restore a backup"
	if !d.plan.End.IsZero() {
		hint += fmt.Sprintf(". To go on with what lies before the damage, and lose what lies after it: start the server once with --recover-until=%s (the files are kept)", d.position(d.plan.End))
	}
	return d.plan.Damage, hint
}

func logIsDamagedBefore(d *decision) (error, string) {
	return d.plan.Damage, fmt.Sprintf("look at the place named above (duramen binlog show), and put an undamaged copy of the file back, or restore a backup. "+
		"The storage engine holds everything up to %[1]s; to go on from there with an empty log, and lose what lies after that place: start the server once with --recover-until=%[1]s (the files are kept; replicas that are not as far must be set up again)", d.markText())
}

// decisions are one for each engine, in the order of Options.Engines.
type decisions []*decision

// known are those of engines with something to recover.
func (ds decisions) known() decisions {
	return slices.DeleteFunc(slices.Clone(ds), func(d *decision) bool { return d.fresh })
}

// first is the one of the engine that lacks most of the log: its plan is carried out, as it covers what the others need.
func (ds decisions) first() *decision {
	return slices.MinFunc(ds.known(), func(a, b *decision) int { return a.mark.Position.Compare(b.mark.Position) })
}

// decide reads log and engines, and finds out whether and how the directory can be recovered.
// Nothing is changed.
func (s *Store) decide(found format, verifyAll bool) (decisions, error) {
	ds, err := s.peek(found)
	if err != nil {
		return nil, err
	}
	if err := s.cut.decide(s, ds); err != nil {
		return nil, err
	}
	first := ds.first()
	if first.plan, err = s.scan(first, verifyAll); err != nil {
		return nil, err
	}
	for _, d := range ds.known() {
		if d.mark == first.mark {
			d.plan = first.plan
		} else if d.plan, err = s.scan(d, false); err != nil {
			return nil, err
		}
	}
	for _, d := range ds.known() {
		if err := s.judge(d); err != nil {
			return nil, err
		}
	}
	return ds, nil
}

// peek looks up the engines' marks.
func (s *Store) peek(found format) (decisions, error) {
	o := &s.opts
	var ds decisions
	for _, kind := range o.Engines {
		if kind.Volatile() {
			ds = append(ds, &decision{kind: kind, fresh: true})
			continue
		}
		mark, unfinished, err := kind.Peek(s.engineOptions(kind), replay.UnfinishedKey())
		if err != nil {
			if errors.Is(err, engine.ErrDamaged) {
				return nil, &OpenError{Dir: o.Dir, Op: "open the storage engine in", Kind: ErrCorrupt, Err: err, Unchanged: true,
					Hint: "restore a backup; if the binary log is complete from its first file on, the tables can be rebuilt from it by moving the directory " + kind.Dir() + " away"}
			}
			return nil, s.fail("open the storage engine in", nil, err)
		}
		d := &decision{kind: kind, alone: len(o.Engines) == 1, mark: mark, until: o.RecoverUntil, basename: o.LogBasename, unfinished: unfinished}
		// A start that brought the engine into the directory may have been interrupted after its first checkpoint: then it has a mark.
		d.fresh = !found.has(kind) && mark == (engine.Mark{})
		if d.basename == "" {
			d.basename = "binlog"
		}
		ds = append(ds, d)
	}
	return ds, nil
}

// scan looks at the log as an engine needs it.
func (s *Store) scan(d *decision, verifyAll bool) (*binlog.Plan, error) {
	state, err := gtid.ParseState(gtid.StateText(d.mark.GTIDState))
	if err != nil {
		return nil, s.fail("read the position of the storage engine in", ErrCorrupt, err)
	}
	plan, err := binlog.Scan(s.logOptions(), binlog.ScanSpec{
		Engine: d.mark.Position, EngineState: state, VerifyAll: verifyAll, Until: d.until, Demoted: !s.cut.until.IsZero(),
	})
	if err != nil {
		return nil, s.fail("recover the binary log of", nil, err)
	}
	return plan, nil
}

// judge finds the row of the recovery table, and the error if that refuses.
func (s *Store) judge(d *decision) error {
	if d.plan.Reset != nil {
		d.row = rowFor(logGood, engineLevel)
		return s.checkReset(d)
	}
	d.row = rowFor(d.facts())
	if d.row.reason == nil {
		return nil
	}
	e := &OpenError{Dir: s.opts.Dir, Op: "recover", Kind: ErrCorrupt, Unchanged: true}
	if d.row.verdict == purged {
		e.Kind = ErrPurged
	}
	e.Err, e.Hint = d.row.reason(d)
	return e
}

// recover carries out what decide decided. Each engine is brought to the end of the log by itself.
func (s *Store) recover(ctx context.Context, ds decisions) error {
	plan := ds.first().plan
	if err := s.cut.note(&s.opts, s.logOptions(), plan.End); err != nil {
		return s.fail("note where the binary log is cut in", nil, err)
	}
	log, err := plan.Open()
	if err != nil {
		return s.fail("recover the binary log of", nil, err)
	}
	s.log = log
	if err := s.cut.done(&s.opts); err != nil {
		return s.fail("end the cut of the binary log of", nil, err)
	}
	if err := s.openEngines(ds); err != nil {
		return err
	}
	if plan.Reset != nil {
		if err := s.finishReset(ds); err != nil {
			return s.fail("finish the interrupted RESET MASTER of", nil, err)
		}
	}
	snapshot, err := s.recoverEngines(ctx, ds)
	if err != nil {
		return err
	}
	s.engine.Recovered()
	if err := s.placeTables(snapshot); err != nil {
		return err
	}
	s.registry = catalog.NewRegistry(snapshot, s.opts.Collations)
	return nil
}

// recoverEngines brings all engines to the end of the log, at the same time, and returns the definitions there.
func (s *Store) recoverEngines(ctx context.Context, ds decisions) (*catalog.Snapshot, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	engines := s.engine.Engines()
	results, errs := make([]*replay.Result, len(ds)), make([]error, len(ds))
	recoverOne := func(i int) {
		if results[i], errs[i] = s.recoverEngine(ctx, engines[i], ds[i]); errs[i] != nil {
			stop() // the others need not go on
		}
	}
	var others sync.WaitGroup
	for i := 1; i < len(ds); i++ {
		if !ds[i].fresh {
			others.Go(func() { recoverOne(i) })
		}
	}
	recoverOne(0)
	others.Wait()
	if err := firstCause(errs); err != nil {
		return nil, err
	}
	for i, e := range engines {
		if !ds[i].fresh {
			continue
		}
		if err := s.define(e, engines[0]); err != nil {
			return nil, s.fail("give the definitions to a new storage engine in", nil, err)
		}
	}
	return results[0].Catalog, nil
}

// firstCause is the first error that is not the cancellation that another one led to.
func firstCause(errs []error) error {
	var canceled error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			canceled = err
		}
	}
	return canceled
}

// define gives an engine without anything the definitions that another one has, and its mark.
func (s *Store) define(e, from engine.Engine) (err error) {
	it, err := from.NewIter(catalog.MetaSpan())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	batch := e.NewBatch()
	for ok := it.First(); ok; ok = it.Next() {
		if _, part, _, _ := catalog.ParsePrefix(it.Key()); catalog.InOneEngine(part) {
			continue
		}
		if err := batch.Set(it.Key(), it.Value()); err != nil {
			batch.Discard()
			return err
		}
	}
	if err := it.Error(); err != nil {
		batch.Discard()
		return err
	}
	return e.Apply(batch, from.Applied())
}

// recoverEngine applies to an engine what it lacks of the log, and removes from it what was never finished.
func (s *Store) recoverEngine(ctx context.Context, e engine.Engine, d *decision) (*replay.Result, error) {
	if d.row.verdict == moveTo {
		mark := engine.Mark{Position: s.log.Start(), GTIDState: d.mark.GTIDState}
		if err := e.Apply(e.NewBatch(), mark); err != nil {
			return nil, s.fail("recover", nil, err)
		}
	}
	snapshot, err := s.loadCatalog(e)
	if err != nil {
		return nil, s.fail("load the table definitions in", ErrCorrupt, err)
	}
	if err := s.placeTables(snapshot); err != nil {
		return nil, err
	}
	if s.protocol != nil {
		return s.resolve(ctx, e, d)
	}
	result, err := replay.Run(ctx, replay.Config{
		Log: s.log, Engine: e, Owns: s.owns(e), Catalog: snapshot, Collations: s.opts.Collations, Logger: s.logger,
		TotalBytes: d.plan.ReplayBytes(d.mark.Position),
	})
	if err != nil {
		return nil, s.fail("recover", replayErrorKind(err), err)
	}
	if text := result.State.String(); text != d.plan.State.String() {
		s.logger.Warn("the engine's GTID state differs from the binary log's, which counts", "engine", text, "log", d.plan.State.String())
	}
	return result, s.removeOrphans(e, result.Catalog)
}

// replayErrorKind finds the class of an error of Replay.
func replayErrorKind(err error) error {
	switch {
	case errors.Is(err, binlog.ErrPurged):
		return ErrPurged
	case errors.Is(err, binlog.ErrCorrupt), errors.Is(err, binlog.ErrPosition), errors.Is(err, replay.ErrContent):
		return ErrCorrupt
	}
	return nil
}
