package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Harness makes engines of one kind.
type Harness interface {
	// Open opens the engine over the same storage every time.
	Open(t *testing.T) engine.Engine
	// Crash ends the engine and loses what is not durable. It is called
	// with an engine on which no snapshot or iterator is open.
	Crash(t *testing.T, e engine.Engine)
	// Can is what the engines declare as their capabilities.
	Can() Can
}

// Can says what engines have that not all have.
type Can struct {
	// The capabilities of engine.Capabilities.
	Importer, Loader, MarkResetter, Exporter, Pressed, InMemory bool
	// Volatile is engine.Kind's: nothing is durable, so everything about a restart is replaced by one test.
	Volatile bool
}

// HasKind is a Harness of engines that data directories can have.
type HasKind interface {
	Harness
	// Kind is the kind, and what Open opens it with.
	Kind() (engine.Kind, engine.Options)
}

// SyncsLog is a Harness whose engines keep to the order "log first".
type SyncsLog interface {
	Harness
	// SyncLog is engine.Options.SyncLog of the engines that are opened from now on.
	SyncLog(func(logpos.Pos) error)
	// Fatal is whether engine.Options.Fatal was called.
	Fatal() bool
	// Abandon is Crash for an engine that has called Fatal, and cannot be closed any more.
	Abandon()
}

// CrashesAt is a Harness that can crash at any operation on files.
type CrashesAt interface {
	SyncsLog
	// CrashAt chooses what the next Crash leaves: what a loss of power leaves right before the n-th operation from now on
	// that changes files, counted from 0. moment is called then. The engine goes on as if nothing had happened.
	CrashAt(n int, moment func())
}

// Fails is a Harness whose disk can fail.
type Fails interface {
	SyncsLog
	// FailWrites lets everything fail that needs room on the disk. nil ends that.
	FailWrites(err error)
	// FailAt lets the n-th operation from now on fail, once, and counts from 0. failed says whether it has.
	FailAt(n int, err error) (failed func() bool)
}

// HasFiles is a Harness whose files can be seen and changed.
type HasFiles interface {
	HasKind
	// Files are all files by name, also those of imports.
	Files(t *testing.T) map[string][]byte
	// Write replaces a file.
	Write(t *testing.T, name string, contents []byte)
	Remove(t *testing.T, name string)
	// ImportDir is a directory for imports.
	ImportDir(t *testing.T) string
}

// Run runs the suite; newHarness is called at least once per test.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	for _, c := range testsFor(newHarness(t)) {
		t.Run(c.name, func(t *testing.T) { c.test(t, newHarness) })
	}
}

// namedTest is a test; some need many harnesses.
type namedTest struct {
	name string
	test func(t *testing.T, f factory)
}

// factory makes the harness of a test.
type factory func(t *testing.T) Harness

func one(name string, test func(t *testing.T, h Harness)) namedTest {
	return namedTest{name, func(t *testing.T, f factory) { test(t, f(t)) }}
}

// testsFor are the tests that a harness makes possible.
func testsFor(h Harness) []namedTest {
	can := h.Can()
	tests := []namedTest{
		one("Empty", testEmpty),
		one("Capabilities", testCapabilities),
		one("ApplyAndRead", testApplyAndRead),
		one("EmptyKeysAndValues", testEmptyKeysAndValues),
		one("LargeKeysAndValues", testLarge),
		one("LastChangeOfKeyWins", testRandomBatches),
		one("Iterate", testIterate),
		one("IterateLikeModel", testIterateLikeModel),
		one("Snapshot", testSnapshot),
		one("ManySnapshots", testManySnapshots),
		one("CheckpointUnderLoad", testCheckpointUnderLoad),
		one("Concurrent", testConcurrent),
		one("KeySpaces", testKeySpaces),
		one("DeleteRangeOfMany", testDeleteRangeOfMany),
		one("MarksDoNotGoBack", testMarks),
		one("Size", testSize),
		one("Closed", testClosed),
	}
	add := func(when bool, more ...namedTest) {
		if when {
			tests = append(tests, more...)
		}
	}
	add(can.Volatile, one("Volatile", testVolatile))
	add(!can.Volatile, one("Checkpoint", testCheckpoint), one("CrashKeepsWholeApplies", testCrash), one("ReplayAgain", testReplayAgain),
		one("IngestIsDurableAfterCheckpoint", testIngest), one("IngestAndCrash", testIngestAndCrash), one("Stats", testStats))
	add(can.Importer, one("Import", testImport), one("ImportLikeModel", testImportLikeModel), one("ImportMisused", testImportMisused))
	add(can.Importer && !can.Volatile, one("ImportAndCrash", testImportAndCrash))
	add(can.Loader && !can.Volatile, one("Load", testLoad))
	add(can.MarkResetter, one("ResetMark", testResetMark))
	add(can.MarkResetter && !can.Volatile, one("ResetMarkAndCrash", testResetMarkAndCrash))
	if _, ok := h.(HasKind); ok {
		add(true, one("Kind", testKind))
		add(!can.Volatile, one("Peek", testPeek))
	}
	if _, ok := h.(HasFiles); ok {
		add(can.Exporter, one("Export", testExport), one("ExportUnderLoad", testExportUnderLoad))
		add(can.Exporter && can.Importer, one("ExportOfImports", testExportOfImports))
	}
	if _, ok := h.(SyncsLog); ok {
		add(!can.Volatile, one("LogFirst", testLogFirst), one("LogCannotBeSynced", testLogCannotBeSynced))
	}
	if _, ok := h.(HasFiles); ok {
		add(!can.Volatile, one("Damage", testDamage))
		add(can.Importer, one("ImportLeavesNoFiles", testImportLeavesNoFiles))
	}
	if _, ok := h.(Fails); ok {
		add(!can.Volatile, one("FullDisk", testFullDisk), namedTest{"FailureOfAnyOperation", testFailAt})
		add(can.Pressed, one("Pressed", testPressed))
	}
	if _, ok := h.(CrashesAt); ok {
		add(!can.Volatile, namedTest{"CrashAtAnyOperation", testCrashAt})
	}
	return tests
}

// crash ends the engine without a warning, and opens it again. A volatile one goes on.
func crash(t *testing.T, h Harness, e engine.Engine) engine.Engine {
	t.Helper()
	if h.Can().Volatile {
		return e
	}
	h.Crash(t, e)
	return h.Open(t)
}

// restart is crash with an end in order.
func restart(t *testing.T, h Harness, e engine.Engine) engine.Engine {
	t.Helper()
	if h.Can().Volatile {
		return e
	}
	require.NoError(t, e.Close())
	return h.Open(t)
}

func testCapabilities(t *testing.T, h Harness) {
	e := h.Open(t)
	c := e.Capabilities()
	can := h.Can()
	require.Equal(t, can, Can{
		Importer: c.Importer != nil, Loader: c.Loader != nil, MarkResetter: c.MarkResetter != nil, Exporter: c.Exporter != nil,
		Pressed: c.Pressed != nil, InMemory: c.InMemory,
		Volatile: can.Volatile,
	})
	require.NoError(t, c.Writable())
	require.NoError(t, e.Close())
	require.Equal(t, c, e.Capabilities(), "they stay the same")
}
