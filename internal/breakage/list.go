package main

// unit is a test of one package.
func unit(pkg, run string) *lab { return &lab{pkg: pkg, run: run} }

// rare is the crash laboratory for what needs many seeds.
var rare = &lab{pkg: "./store/crashtest", run: "^TestExact$", env: []string{"SEEDS=30000"}}

// two is the crash laboratory with two engines.
var two = &lab{pkg: "./store/crashtest", run: "^TestTwoEngines$", env: []string{"SEEDS=2000"}}

// list has every deliberate breakage. What is right is the old text; the name says what is wrong with
// the new one.
var list = []breakage{
	// Writing and syncing groups.
	{name: "sync of a group removed", edits: []edit{{"binlog/issue.go",
		"	err := h.f.SyncData()\n", "	var err error\n"}}},
	{name: "sync of a direct write removed", edits: []edit{{"binlog/direct.go",
		"	return f.SyncData()\n", "	return nil\n"}}},
	{name: "every second group not synced", edits: []edit{{"commit/group.go",
		"p.positions.groupsUnsynced >= n", "p.positions.groupsUnsynced > n"}}},
	{name: "log counted as synced without a sync", edits: []edit{{"binlog/append.go",
		"	err := file.f.SyncData()\n", "	var err error\n"}}},
	{name: "apply before the sync", edits: []edit{
		{"commit/pipeline.go", "	p.syncGroup(g)\n	p.window.enter(number, &p.applyMu)\n", "	p.window.enter(number, &p.applyMu)\n"},
		{"commit/pipeline.go", "	p.endGroup(g)\n	p.applyMu.Unlock()\n", "	p.endGroup(g)\n	p.syncGroup(g)\n	p.applyMu.Unlock()\n"}}},
	{name: "groups in flight enter the apply stage out of order", edits: []edit{{"commit/window.go",
		"	for f.mu.entered != number {\n", "	for false {\n"}}},
	{name: "direct writes in flight share a block", edits: []edit{{"binlog/issue.go",
		"	if w.live.end%uint64(w.unit) != 0 { // the write in flight holds a part of our first block\n", "	if false {\n"}}},
	{name: "synced passes over a write in flight", edits: []edit{{"binlog/issue.go",
		"log.flying.direct[n].done {\n", "w.done {\n"}}, lab: unit("./binlog", "SyncedInOrder")},
	{name: "group acknowledged though the sync before it failed", edits: []edit{{"commit/pipeline.go",
		"		g.err = *err // the sync of a group before this one failed\n", "		_ = err\n"}}, lab: unit("./commit", "FailedSyncInFlight")},
	{name: "direct write with old bytes after its end", edits: []edit{{"binlog/issue.go",
		"	clear(buf[len(buf):size])\n", "	_ = size\n"}}, lab: unit("./binlog", "MethodsWriteTheSame|TestCrash$")},
	{name: "direct write forgets the start of its first block", edits: []edit{{"binlog/append.go",
		"		w.extendTail(buf, at)\n", "		_ = at\n"}}},

	// Large transactions.
	{name: "segment of a large transaction not synced", edits: []edit{{"binlog/large.go",
		"	if err := f.f.SyncData(); err != nil {\n		return 0, fmt.Errorf(\"sync %s: %w\", f.path(), err)\n	}\n	return first, nil\n", "	return first, nil\n"}}},
	{name: "large transaction overtakes those it has built on", edits: []edit{{"commit/large.go",
		"		if p.queue.sequenced() == 0 {\n", "		if p.queue.sequenced() >= 0 {\n"}}, lab: rare},
	{name: "sequenced on arrival before a large transaction that takes its place", edits: []edit{{"commit/queue.go",
		" && !q.mu.held", ""}}, lab: unit("./commit", "NobodyIsSequenced")},
	{name: "large transaction gives up its locks before it is applied", edits: []edit{{"txn/flight.go",
		"return f.req.Import == nil }", "return true }"}}, lab: unit("./store", "InOrder")},
	{name: "position not in the import of a large transaction", edits: []edit{{"engine/lsm/import.go",
		"	changes = slices.Insert(changes, at, mark)\n", "	_, _ = at, slices.Insert[[]change]\n"}}, lab: unit("./engine/lsm", "Import")},
	{name: "write mark of a large transaction calls nothing durable", edits: []edit{{"binlog/large.go",
		"	buf = appendMark(buf, m, f.reserve+f.size, ", "	buf = appendMark(buf, m, 0, "}}, lab: unit("./binlog", "LargeDamage")},
	{name: "replay in parts though images are partial", edits: []edit{{"replay/chunk.go",
		" || b.tainted", ""}}, lab: unit("./store", "PartialAtOnce")},

	// RESET MASTER.
	{name: "reset begins before its record is durable", edits: []edit{{"binlog/dir.go",
		"	if err == nil {\n		err = f.Sync()\n	}\n", "	if err == nil && tmp != d.resetName()+tmpSuffix {\n		err = f.Sync()\n	}\n"}}},
	{name: "reset removes the old log before it has begun", edits: []edit{{"binlog/reset.go",
		"	if err := l.dir.commit(l.dir.resetName()+tmpSuffix, l.dir.resetName()); err != nil {\n", "	if err := l.dir.rename(l.dir.resetName()+tmpSuffix, l.dir.resetName()); err != nil {\n"}}, lab: unit("./store", "ResetCrashes")},
	{name: "reset ends before the engine has moved", edits: []edit{{"binlog/reset.go",
		"	if err := moved(logpos.At(next.n, next.headerEnd)); err != nil {\n", "	if err := l.FinishReset(); err != nil {\n		return err\n	}\n	if err := moved(logpos.At(next.n, next.headerEnd)); err != nil {\n"}}},
	{name: "end of a reset not durable", edits: []edit{{"binlog/reset.go",
		"	if err := l.dir.sync(); err != nil {\n		return l.fail(err)\n	}\n	return nil\n", "	return nil\n"}}},

	// What recovery goes by.
	{name: "write mark calls unsynced bytes durable", edits: []edit{{"binlog/append.go",
		"		return w.mu.synced.Offset\n", "		return w.live.end\n"}}},
	{name: "checksums not verified by recovery", edits: []edit{{"binlog/scan.go",
		"	if err := event.Verify(ev); err != nil {\n", "	if err := event.Verify(ev); err != nil && false {\n"}}},
	{name: "incomplete group kept", edits: []edit{{"binlog/recover.go",
		"		if groups.Open || mark {\n			continue\n", "		if mark {\n			continue\n"}}},
	{name: "torn tail not cut before the file is ended", edits: []edit{{"binlog/execute.go",
		"		if f, err = p.dir.cutFile(f, seg.name, seg.size); err == nil {\n", "		if err == nil {\n"}}},
	{name: "end of a torn file not synced before it is marked as closed", edits: []edit{{"binlog/execute.go",
		"	seg.size += uint64(len(ev))\n	return f.Sync()\n", "	seg.size += uint64(len(ev))\n	return nil\n"}}},
	{name: "GTID state not restored", edits: []edit{{"binlog/plan.go",
		"	p.State = found.state\n", "	p.State = found.list\n"}}},
	{name: "torn write taken for damage", edits: []edit{{"binlog/table.go",
		"\"6 torn write\", torn,", "\"6 torn write\", damaged,"}}},

	// Rotation and the index.
	{name: "directory not synced between file and index", edits: []edit{{"binlog/rotate.go",
		"	if err := l.dir.sync(); err != nil {\n		return err\n	}\n	return l.dir.commitIndex()\n", "	return l.dir.commitIndex()\n"}}},
	{name: "index committed before the file has its name", edits: []edit{{"binlog/rotate.go",
		"	if err := l.dir.rename(name, next.name); err != nil {\n", "	if err := l.dir.commitIndex(); err != nil {\n		return err\n	}\n	if err := l.dir.stageIndex(append(l.segmentNumbers(), next.n)); err != nil {\n		return err\n	}\n	if err := l.dir.rename(name, next.name); err != nil {\n"}}},
	{name: "index not synced before it gets its name", edits: []edit{{"binlog/dir.go",
		"	if err == nil {\n		err = f.Sync()\n	}\n", "	if err == nil && tmp != d.indexName()+tmpSuffix {\n		err = f.Sync()\n	}\n"}}},
	{name: "header of a new file not synced", edits: []edit{{"binlog/rotate.go",
		"	if err == nil && l.o.NoPreallocate {\n		err = f.Sync()\n	} else if err == nil {\n		err = f.SyncData() // neither size nor extents have changed\n	}\n", ""}}},
	{name: "ROTATE not synced before the file is marked as closed", edits: []edit{{"binlog/writer.go",
		"	if err := f.SyncData(); err != nil {\n		return 0, fmt.Errorf(\"sync %s: %w\", path, err)\n	}\n", ""}}},
	{name: "closed file not synced", edits: []edit{
		{"binlog/dirfile.go", "		if err := f.Sync(); err != nil {\n			return f, fmt.Errorf(\"sync %s: %w\", path, err)\n		}\n		return f, nil\n", "		return f, nil\n"},
		{"binlog/dir.go", "	if err == nil {\n		err = f.Sync()\n	}\n", "	if err == nil && !strings.HasSuffix(tmp, cutSuffix) {\n		err = f.Sync()\n	}\n"}}},

	// Purge and checkpoints.
	{name: "next file made while its predecessor still has the name", edits: []edit{{"binlog/prepare.go",
		"		for (!p.mu.wanted || p.mu.given) && !p.mu.closed {\n", "		for !p.mu.wanted && !p.mu.closed {\n"}}},
	{name: "purge without writing the index", edits: []edit{{"binlog/purge.go",
		"	if err := p.dir.commitIndex(); err != nil {\n		return nil, p.fail(err)\n	}\n	return gone, nil\n", "	return gone, nil\n"}}},
	{name: "purge before the index is durable", edits: []edit{{"binlog/index.go",
		"return d.commit(d.indexName()+tmpSuffix, d.indexName()) }\n", "return d.rename(d.indexName()+tmpSuffix, d.indexName()) }\n"}}},
	{name: "purge of files that recovery needs", edits: []edit{{"store/checkpoint.go",
		"	s.log.SetRecoveryStart(mark.Position)\n", "	s.log.SetRecoveryStart(s.log.End())\n"},
		{"store/checkpoint.go", "	if mark.Position != s.engine.Applied().Position {\n", "	if false {\n"}}},

	// The engine.
	{name: "engine does not wait for the log", edits: []edit{{"engine/lsm/engine.go",
		"	if err := e.opts.SyncLog(pos); err != nil {\n", "	if err := error(nil); err != nil {\n"}}},
	{name: "log not synced for an engine that would overtake it", edits: []edit{{"commit/sync.go",
		"	if err := p.log.Sync(); err != nil {\n		return p.fatal(err)\n	}\n	return nil\n", "	return nil\n"}}},
	{name: "position not in the batch of the rows", edits: []edit{{"commit/group.go",
		"	p.stats.bytes.Add(uint64(len(buf)))\n", "	p.stats.bytes.Add(uint64(len(buf)))\n	if err := p.applier.Apply(g.mark); err != nil {\n		return err\n	}\n"}}},
	{name: "GTID state not in the mark", edits: []edit{{"commit/group.go",
		"GTIDState: p.build.text()}\n", "GTIDState: \"\"}\n"}}},
	{name: "bulk build not durable before its definition", edits: []edit{{"txn/bulk.go",
		"	if w.written {\n", "	if false {\n"}}},
	{name: "marker of the engine removed before its successor is durable", edits: []edit{{"engine/lsm/logfirst.go",
		"// Remove removes a marker when its successor is durable.\nfunc (fs *logFirstFS) Remove(name string) error {\n	if strings.HasPrefix(fs.PathBase(name), \"marker.\") {\n", "func (fs *logFirstFS) Remove(name string) error {\n	if false {\n"}}},
	{name: "marker of the engine created before its MANIFEST is durable", edits: []edit{{"engine/lsm/logfirst.go",
		"func (fs *logFirstFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {\n	if strings.HasPrefix(fs.PathBase(name), \"marker.\") {\n", "func (fs *logFirstFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {\n	if false {\n"}}},

	// Several engines.
	{name: "log purged that only the slower engine needs", edits: []edit{{"engine/set/mark.go",
		"		if m := of(e); m.Position.Before(least.Position) {\n", "		if m := of(e); least.Position.Before(m.Position) {\n"}}, lab: unit("./engine/set", "Mark")},
	{name: "engine replays the rows of all tables", edits: []edit{{"store/engines.go",
		"		return err == nil && owner == e\n", "		return err == nil && owner != nil\n"}}, lab: two},
	{name: "engine that is not touched does not get the mark", edits: []edit{{"engine/set/mark.go",
		"		if !e.Applied().Position.Before(s.applied.Position) {\n", "		if true {\n"}}, lab: unit("./engine/set", "Mark")},
	{name: "definitions in one engine only", edits: []edit{{"engine/set/batch.go",
		"	if place != everywhere {\n		return f(b.part(place))\n", "	if true {\n		return f(b.part(reader(place)))\n"}}, lab: two},
	{name: "snapshot in the middle of an apply", edits: []edit{{"engine/set/read.go",
		"	s.barrier.RLock()\n	defer s.barrier.RUnlock()\n	parts :=", "	parts :="}}, lab: unit("./engine/set", "Snapshot")},

	// Replay.
	{name: "end of the log not replayed", edits: []edit{{"replay/replay.go",
		"	if err := r.to.flush(0); err != nil {\n", "	if err := r.to.flush(1 << 30); err != nil {\n"}}},
	{name: "deletes not replayed", edits: []edit{{"replay/batch.go",
		"			return batch.Delete(key)\n", "			return nil\n"}}},
	{name: "partial row images not completed", edits: []edit{{"replay/complete.go",
		"	after, err = row.Merge(nil, c.table.Columns, before, c.after.bytes, c.after.columns)\n", "	after, err = row.Merge(nil, c.table.Columns, nullImage(columns), c.after.bytes, c.after.columns)\n"}}},
	{name: "local transactions not replayed", edits: []edit{{"replay/decode.go",
		"			return true, d.local(body.Payload)\n", "			return true, d.local(nil)\n"}}},
	{name: "orphan key spaces kept", edits: []edit{{"store/engines.go",
		"	if len(orphans) == 0 {\n", "	if true {\n"}}},

	// The data directory.
	{name: "entry of the data directory not synced", edits: []edit{{"store/format.go",
		"	for _, d := range missing {\n", "	for _, d := range missing[:0] {\n"}}},
	{name: "FORMAT not synced before it gets its name", edits: []edit{{"store/format.go",
		"	if err == nil {\n		err = f.Sync()\n	}\n", ""}}},

	// Readers.
	{name: "replica is sent what is not durable", edits: []edit{{"binlog/reader.go",
		"	return limit, r.sync()\n", "	return limit, nil\n"}}},
	{name: "commit under FLUSH TABLES WITH READ LOCK", edits: []edit{{"txn/commit.go",
		"	if _, err := t.Global.take(ctx, \"COMMIT\", true); err != nil {\n", "	if err := ctx.Err(); err != nil {\n"}}, lab: unit("./txn", "GlobalLock")},
	{name: "read lock does not wait for changes that have begun", edits: []edit{{"txn/lock/global.go",
		"	for l.first != nil {\n", "	for l.first != nil && l.first.ID != 0 {\n"}}, lab: unit("./txn/lock", "GlobalUnderLoad")},
	{name: "savepoint keeps the rows of what was undone", edits: []edit{{"txn/savepoint.go",
		"	t.writes.rollbackTo(p.writes)\n", ""}}},
	{name: "failed statement stays in the log", edits: []edit{{"txn/statement.go",
		"	t.log.RollbackStatement()\n", "	t.log.EndStatement()\n"}}},
}
