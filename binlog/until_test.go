package binlog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// recoverUntil opens the log up to a place.
func recoverUntil(t testing.TB, o Options, u Until) (*Log, *Plan) {
	t.Helper()
	plan, err := Scan(o, ScanSpec{Until: u})
	require.NoError(t, err)
	require.NoError(t, plan.Damage)
	l, err := plan.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, plan
}

// wantKept expects every byte of the original files either where it was or in a directory of lost files.
func wantKept(t testing.TB, fs vfs.FS, original map[string]string, plan *Plan) {
	t.Helper()
	now := tree(t, fs, testDir)
	for name, data := range original {
		if _, ok := plan.dir.parseSegmentName(name); !ok {
			continue
		}
		found := false
		for path, got := range now {
			if got == data && (path == name || strings.HasPrefix(path, "binlog.lost-") && strings.HasSuffix(path, "/"+name)) {
				found = true
			}
		}
		aside := false
		for _, s := range plan.SetAside {
			aside = aside || s == name
		}
		if aside {
			require.True(t, found, "%s is gone", name)
		}
	}
}

func TestRecoverUntil(t *testing.T) {
	g := func(seq uint64) Until { return Until{GTID: gtid.GTID{Server: 1, Seq: seq}} }
	at := func(p logpos.Pos) Until { return Until{Pos: p} }
	for name, c := range map[string]struct {
		until func(ends map[uint64]logpos.Pos) Until
		edit  func(t *testing.T, fs vfs.FS, ends map[uint64]logpos.Pos)
		kept  uint64 // transactions
		aside []string
	}{
		"end of a transaction":    {until: func(e map[uint64]logpos.Pos) Until { return at(e[5]) }, kept: 5, aside: []string{"2", "3"}},
		"inside one":              {until: func(e map[uint64]logpos.Pos) Until { return at(logpos.At(2, e[5].Offset+60)) }, kept: 5, aside: []string{"2", "3"}},
		"GTID":                    {until: func(map[uint64]logpos.Pos) Until { return g(5) }, kept: 5, aside: []string{"2", "3"}},
		"last of a file":          {until: func(e map[uint64]logpos.Pos) Until { return at(e[6]) }, kept: 6, aside: []string{"3"}},
		"last of a file, by GTID": {until: func(map[uint64]logpos.Pos) Until { return g(6) }, kept: 6, aside: []string{"3"}},
		"start of a file":         {until: func(map[uint64]logpos.Pos) Until { return at(logpos.At(3, 4)) }, kept: 6, aside: []string{"3"}},
		"before everything":       {until: func(map[uint64]logpos.Pos) Until { return at(logpos.At(1, 4)) }, kept: 0, aside: []string{"1", "2", "3"}},
		"the end":                 {until: func(e map[uint64]logpos.Pos) Until { return at(e[9]) }, kept: 9},
		"the end, by GTID":        {until: func(map[uint64]logpos.Pos) Until { return g(9) }, kept: 9},
		"damage after it, same file": {until: func(e map[uint64]logpos.Pos) Until { return at(e[7]) }, kept: 7, aside: []string{"3"}, edit: func(t *testing.T, fs vfs.FS, e map[uint64]logpos.Pos) {
			damage(t, fs, testOptionsName(3), e[8].Offset-30)
		}},
		"damage after it": {until: func(e map[uint64]logpos.Pos) Until { return at(e[2]) }, kept: 2, aside: []string{"1", "2", "3"}, edit: func(t *testing.T, fs vfs.FS, _ map[uint64]logpos.Pos) { damage(t, fs, testOptionsName(2), 1) }},
		"a file is missing after it": {until: func(e map[uint64]logpos.Pos) Until { return at(e[3]) }, kept: 3, aside: []string{"3"}, edit: func(t *testing.T, fs vfs.FS, _ map[uint64]logpos.Pos) {
			require.NoError(t, fs.Remove(testDir+"/"+testOptionsName(2)))
		}},
		"the index is missing": {until: func(e map[uint64]logpos.Pos) Until { return at(e[9]) }, kept: 9, edit: func(t *testing.T, fs vfs.FS, _ map[uint64]logpos.Pos) {
			require.NoError(t, fs.Remove(testDir+"/binlog.index"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			im, ends := threeSegments(t)
			if c.edit != nil {
				c.edit(t, im.fs, ends)
			}
			before := tree(t, im.fs, testDir)
			l, plan := recoverUntil(t, im.o, c.until(ends))
			require.Equal(t, gtids(1, c.kept), contentsOf(t, l))
			require.Equal(t, c.kept, plan.State.MaxSeq(0))
			var aside []string
			for _, s := range plan.SetAside {
				aside = append(aside, strings.TrimLeft(strings.TrimPrefix(s, "binlog."), "0"))
			}
			require.ElementsMatch(t, c.aside, aside)
			wantKept(t, im.fs, before, plan)
			commit(t, l, transaction(c.kept+1, 10))
			require.NoError(t, l.Close())
			l, _ = mustOpen(t, im.o)
			require.Equal(t, gtids(1, c.kept+1), contentsOf(t, l), "an ordinary start goes on from there")
		})
	}
}

func TestRecoverUntilRefuses(t *testing.T) {
	im, ends := threeSegments(t)
	for _, u := range []Until{{Pos: logpos.At(3, ends[9].Offset+100)}, {Pos: logpos.At(4, 4)}, {GTID: gtid.GTID{Server: 1, Seq: 10}}, {GTID: gtid.GTID{Server: 2, Seq: 1}}} {
		_, err := Scan(im.o, ScanSpec{Until: u})
		require.ErrorIs(t, err, ErrPosition)
		require.Contains(t, err.Error(), fmt.Sprintf("binlog.000003:%d", ends[9].Offset))
	}
	damage(t, im.fs, testOptionsName(2), ends[5].Offset-30)
	before := tree(t, im.fs, testDir)
	plan, err := Scan(im.o, ScanSpec{Until: Until{Pos: ends[6]}})
	require.NoError(t, err)
	require.ErrorIs(t, plan.Damage, ErrCorrupt)
	require.Equal(t, ends[4], plan.End)
	require.Equal(t, before, tree(t, im.fs, testDir))

	// The engine has everything up to there, so the damage before does not matter to it.
	state := gtid.NewState()
	state.Update(gtid.GTID{Server: 1, Seq: 6})
	plan, err = Scan(im.o, ScanSpec{Engine: ends[6], EngineState: state, Until: Until{Pos: ends[6]}})
	require.NoError(t, err)
	require.NoError(t, plan.Damage)
	require.True(t, plan.Anew)
	l, err := plan.Open()
	require.NoError(t, err)
	require.EqualValues(t, 4, l.Start().Segment)
	require.Empty(t, contentsOf(t, l))
	wantKept(t, im.fs, before, plan)
	commit(t, l, transaction(7, 10))
	require.NoError(t, l.Close())
	plan, err = Scan(im.o, ScanSpec{})
	require.NoError(t, err)
	require.NoError(t, plan.Damage)
	require.True(t, plan.Complete)
	require.Equal(t, "0-1-6", plan.FirstState.String())
	require.Equal(t, "0-1-7", plan.State.String())
}

// TestRecoverUntilCrashes: a crash at any operation of the recovery leaves files for which the same
// command is right, and nothing of what was there is lost.
func TestRecoverUntilCrashes(t *testing.T) {
	im, ends := threeSegments(t)
	damage(t, im.fs, testOptionsName(3), ends[8].Offset-30)
	original := tree(t, im.fs, testDir)
	state := gtid.NewState()
	state.Update(gtid.GTID{Server: 1, Seq: 8})
	for name, spec := range map[string]ScanSpec{
		"cut":  {Until: Until{Pos: ends[5]}},
		"anew": {Until: Until{Pos: ends[8]}, Engine: ends[8], EngineState: state},
	} {
		for k := 1; ; k++ {
			base := im.fs.CrashClone(vfs.CrashCloneCfg{})
			ops := 0
			rng := rand.New(rand.NewPCG(uint64(k), 3))
			var image *vfs.MemFS
			o := im.o
			o.PrepareInline = true
			o.FS = hookFS{base, func() error {
				if ops++; ops == k {
					image = base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng})
				}
				return nil
			}}
			plan, err := Scan(o, spec)
			require.NoError(t, err)
			l, err := plan.Open()
			require.NoError(t, err)
			require.NoError(t, l.Close())
			if image == nil {
				require.Greater(t, k, 10)
				break
			}
			o.FS = image
			if spec.Until.Pos == ends[8] { // an ordinary start may find the new log complete
				if plan, err := Scan(o, ScanSpec{}); err == nil && plan.Damage == nil && plan.Complete && plan.First.Segment == 4 {
					require.Equal(t, "0-1-8", plan.State.String())
					wantKept(t, image, original, &Plan{o: plan.o, SetAside: []string{"binlog.000001", "binlog.000002", "binlog.000003"}})
					continue
				}
			}
			plan, err = Scan(o, spec)
			require.NoError(t, err, "%s, operation %d", name, k)
			require.NoError(t, plan.Damage, "%s, operation %d", name, k)
			l, err = plan.Open()
			require.NoError(t, err, "%s, operation %d", name, k)
			if !plan.Anew {
				require.Equal(t, gtids(1, 5), contentsOf(t, l), "%s, operation %d", name, k)
			}
			wantKept(t, image, original, &Plan{o: plan.o, SetAside: []string{"binlog.000002", "binlog.000003"}})
			require.NoError(t, l.Close())
		}
	}
}
