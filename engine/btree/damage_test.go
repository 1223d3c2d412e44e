package btree

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
)

// withDebt is a disk that was left while an import was a debt, and its files; and what it holds, and held, by mark.
func withDebt(t *testing.T, rnd *rand.Rand) (disk *crashfs.FS, files []string, states map[engine.Mark]model) {
	c := newCrashable(Options{partKeys: 5, runBlockBytes: 100})
	require.NoError(t, c.fs.MkdirAll("imports", 0o755))
	e := c.open(t)
	m := model{}
	states = map[engine.Mark]model{{}: {}}
	b := e.NewBatch()
	for range 100 {
		randomBatch(t, rnd, b, m, 3000)
	}
	for range 2000 { // more than a page of pages
		k, v := randomKey(rnd, 3000), strings.Repeat("v", rnd.IntN(200))
		require.NoError(t, b.Set([]byte(k), []byte(v)))
		m[k] = v
	}
	require.NoError(t, e.Apply(b, markAt(1)))
	states[markAt(1)] = maps.Clone(m)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	// The import stays a debt. It may be an empty one.
	e.checkpoint.Lock()
	for n := uint64(2); e.now.Load().oldestDebt() == nil; n++ {
		randomImport(t, rnd, e, "imports", m, 3000, markAt(n))
		states[markAt(n)] = maps.Clone(m)
		_, err = e.checkpointLocked(false)
		require.NoError(t, err)
	}
	disk = c.fs.Crash(crashfs.KeepAll, rnd)
	e.checkpoint.Unlock()
	require.NoError(t, e.Close())
	names, err := disk.List("data")
	require.NoError(t, err)
	for _, n := range names {
		if n != lockName {
			files = append(files, "data/"+n)
		}
	}
	return disk, files, states
}

func peekAt(disk vfs.FS) error {
	_, _, err := Peek(Options{FS: disk, Dir: "data"}, []byte("k00001"))
	return err
}

// changed is a copy of a disk with a file that was changed.
func changed(t *testing.T, disk *crashfs.FS, rnd *rand.Rand, file string, change func(f vfs.File, size int64)) *crashfs.FS {
	disk = disk.Crash(crashfs.KeepAll, rnd)
	f, err := disk.OpenReadWrite(file, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	change(f, info.Size())
	require.NoError(t, f.Close())
	return disk
}

func TestCutFile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	whole, files, _ := withDebt(t, rnd)
	require.NoError(t, peekAt(whole))
	for _, file := range files {
		info, err := whole.Stat(file)
		require.NoError(t, err)
		for _, cut := range []int64{0, 10, info.Size() / 2, info.Size() - 1} {
			disk := changed(t, whole, rnd, file, func(f vfs.File, _ int64) { require.NoError(t, f.(truncater).Truncate(cut)) })
			if strings.HasSuffix(file, fileName) && cut >= info.Size()/2 {
				_ = peekAt(disk) // what is missing may be unused
				continue
			}
			require.ErrorIs(t, peekAt(disk), engine.ErrDamaged, "%s cut to %d", file, cut)
			_, err = Open(Options{FS: disk, Dir: "data", MapBytes: smallMap})
			require.ErrorIs(t, err, engine.ErrDamaged, "%s cut to %d", file, cut)
		}
		if strings.Contains(file, runFilePrefix) {
			disk := whole.Crash(crashfs.KeepAll, rnd)
			require.NoError(t, disk.Remove(file))
			require.ErrorIs(t, peekAt(disk), engine.ErrDamaged, "a run is missing")
		}
	}
}

// flip changes some bytes of a file, mostly one, and mostly where much depends on it.
func flip(t *testing.T, rnd *rand.Rand, f vfs.File, size int64) (places []int64) {
	for range 1 + rnd.IntN(3)/2*rnd.IntN(20) {
		at := rnd.Int64N(size)
		switch rnd.IntN(3) {
		case 0:
			at = min(at-at%pageSize+rnd.Int64N(200), size-1) // the beginning of a page
		case 1:
			at = rnd.Int64N(min(size, 8*pageSize))
		}
		b := []byte{byte(rnd.Uint32())}
		if rnd.IntN(2) == 0 {
			_, err := f.ReadAt(b, at)
			require.NoError(t, err)
			b[0] ^= 1 << rnd.IntN(8)
		}
		_, err := f.WriteAt(b, at)
		require.NoError(t, err)
		places = append(places, at)
	}
	return places
}

// tryRead is what a reader finds, in one direction or the other, up to an error.
func tryRead(t *testing.T, r reader, backward bool) (found model, err error) {
	it, err := r.NewIter(nil, nil)
	require.NoError(t, err)
	found = model{}
	first, next := it.First, it.Next
	if backward {
		first, next = it.Last, it.Prev
	}
	for ok := first(); ok; ok = next() {
		found[string(it.Key())] = string(it.Value())
	}
	err = it.Error()
	require.False(t, it.Valid())
	require.NoError(t, it.Close())
	return found, err
}

// requireWhole reads in every way: what is found is right, and what is not found is missing or an error.
func requireWhole(t *testing.T, rnd *rand.Rand, r reader, want model) (errs []error) {
	note := func(err error) bool {
		if err != nil {
			require.ErrorIs(t, err, engine.ErrDamaged)
			errs = append(errs, err)
		}
		return err != nil
	}
	for _, backward := range []bool{false, true} {
		found, err := tryRead(t, r, backward)
		if !note(err) {
			require.Equal(t, want, found)
		}
		for k, v := range found {
			require.Equal(t, want[k], v, k)
		}
	}
	keys := slices.Sorted(maps.Keys(want))
	for range 100 {
		k := randomKey(rnd, 3000)
		if rnd.IntN(2) == 0 && len(keys) > 0 {
			k = keys[rnd.IntN(len(keys))]
		}
		v, ok, release, err := r.Get([]byte(k))
		if !note(err) {
			value, there := want[k]
			require.Equal(t, there, ok, k)
			require.Equal(t, value, string(v), k)
			release()
		}
		it, err := r.NewIter(nil, nil)
		require.NoError(t, err)
		at := sort.SearchStrings(keys, k)
		if it.SeekGE([]byte(k)) {
			require.Equal(t, keys[at], string(it.Key()))
		} else if !note(it.Error()) {
			require.Equal(t, len(keys), at)
		}
		require.NoError(t, it.Close())
		it, err = r.NewIter(nil, nil)
		require.NoError(t, err)
		if it.SeekLT([]byte(k)) {
			require.Equal(t, keys[at-1], string(it.Key()))
		} else if !note(it.Error()) {
			require.Zero(t, at)
		}
		require.NoError(t, it.Close())
	}
	return errs
}

var damageSeeds = flag.Uint64("damage-seeds", 6, "how many seeds TestDamagedFile takes")

// Whatever bytes of the files are changed, everything comes to an end, without a crash: with what there was, or with the error.
func TestDamagedFile(t *testing.T) {
	for seed := range *damageSeeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			whole, files, states := withDebt(t, rnd)
			require.NoError(t, peekAt(whole))
			noticed := 0
			for n := range 60 {
				file := files[n%len(files)]
				var places []int64
				disk := changed(t, whole, rnd, file, func(f vfs.File, size int64) { places = flip(t, rnd, f, size) })
				what := fmt.Sprintf("seed %d, %s at %d", seed, file, places)
				if err := peekAt(disk); err != nil {
					require.ErrorIs(t, err, engine.ErrDamaged, what)
				}
				var fatal atomic.Pointer[error]
				e, err := Open(Options{FS: disk, Dir: "data", MapBytes: smallMap, partKeys: 50, Fatal: func(err error) { fatal.Store(&err) }})
				if err != nil {
					require.ErrorIs(t, err, engine.ErrDamaged, what)
					noticed++
					continue
				}
				want, known := states[e.Durable()]
				require.True(t, known, "%s: %v", what, e.Durable())
				want = maps.Clone(want)
				errs := requireWhole(t, rnd, e, want)
				if _, err := e.Size(nil, nil); err != nil {
					require.ErrorIs(t, err, engine.ErrDamaged, what)
					errs = append(errs, err)
				}
				broken := false
				b := e.NewBatch()
				for range 20 {
					randomBatch(t, rnd, b, want, 3000)
				}
				if err = e.Apply(b, markAt(99)); err == nil {
					_, err = e.Checkpoint()
				}
				if err != nil {
					require.ErrorIs(t, err, engine.ErrDamaged, what)
					broken = true
					errs = append(errs, err)
				} else {
					require.Equal(t, markAt(99), e.Durable(), what)
					errs = append(errs, requireWhole(t, rnd, e, want)...)
				}
				if err := e.Close(); err != nil {
					require.ErrorIs(t, err, engine.ErrDamaged, what)
				}
				if broken { // asked after Close: what pays debts tells Fatal a moment after Apply can see it
					require.NotNil(t, fatal.Load(), what)
				}
				if len(errs) > 0 {
					noticed++
				}
			}
			require.Positive(t, noticed)
		})
	}
}

// smallTree is a file with branches and leaves, and nothing else of interest.
func smallTree(t *testing.T) (disk *crashfs.FS, want model, rnd *rand.Rand) {
	c := newCrashable(Options{})
	e := c.open(t)
	b := e.NewBatch()
	want = model{}
	for n := range 300 {
		k, v := fmt.Sprintf("k%05d", 10*n), strings.Repeat("v", 40+n%7)
		require.NoError(t, b.Set([]byte(k), []byte(v)))
		want[k] = v
	}
	require.NoError(t, e.Apply(b, markAt(1)))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	disk = c.fs.Crash(crashfs.KeepAll, c.rnd)
	require.NoError(t, e.Close())
	return disk, want, c.rnd
}

var everyByte = flag.Int("every-byte", 60, "how many bytes TestEveryByte passes over, about; 1 is none")

// One bit that is changed, in the structure of the pages or in a key or value, never makes a Get wrong; nor that of a key that was never there.
func TestEveryByte(t *testing.T) {
	whole, want, rnd := smallTree(t)
	info, err := whole.Stat("data/" + fileName)
	require.NoError(t, err)
	keys := slices.Sorted(maps.Keys(want))
	damagedPlaces := 0
	for at := int64(2 * pageSize); at < info.Size(); at++ {
		// The pages' headers, and some of the rest.
		if at%pageSize >= 32 && rnd.IntN(*everyByte) > 0 {
			continue
		}
		disk := changed(t, whole, rnd, "data/"+fileName, func(f vfs.File, _ int64) {
			b := make([]byte, 1)
			_, err := f.ReadAt(b, at)
			require.NoError(t, err)
			b[0] ^= 1 << rnd.IntN(8)
			_, err = f.WriteAt(b, at)
			require.NoError(t, err)
		})
		o := Options{FS: disk, Dir: "data", MapBytes: smallMap}
		require.NoError(t, o.ensureDefaults())
		f, m, err := openFile(&o, true)
		if err != nil {
			require.ErrorIs(t, err, engine.ErrDamaged, "%d", at)
			damagedPlaces++
			continue
		}
		require.Contains(t, []engine.Mark{{}, markAt(1)}, m, "%d", at)
		var r retired
		b, err := r.newBase(f)
		require.NoError(t, err)
		noticed := m != markAt(1)
		for n, k := range keys {
			if noticed {
				break
			}
			for _, key := range []string{k, k[:5] + fmt.Sprint(n%9+1)} {
				v, ok, err := b.get([]byte(key))
				if err != nil {
					require.ErrorIs(t, err, engine.ErrDamaged)
					noticed = true
					continue
				}
				value, there := want[key]
				require.Equal(t, there, ok, "%s, changed at %d", key, at)
				require.Equal(t, value, string(v), "%s, changed at %d", key, at)
			}
		}
		if noticed {
			damagedPlaces++
		}
		b.release()
		_, err = r.end()
		require.NoError(t, errors.Join(err, f.close()))
	}
	require.Greater(t, damagedPlaces, 100)
}

// A branch whose kid is the branch itself is found out; it would be gone into for ever.
func TestLoopOfPages(t *testing.T) {
	whole, want, rnd := smallTree(t)
	o := Options{FS: whole, Dir: "data"}
	require.NoError(t, o.ensureDefaults())
	f, _, err := openFile(&o, true)
	require.NoError(t, err)
	var r retired
	b, err := r.newBase(f)
	require.NoError(t, err)
	root, size := int64(b.rows.root), int64(b.pages.size)
	top, err := b.rows.page(b.rows.root)
	require.NoError(t, err)
	require.False(t, top.leaf)
	require.Greater(t, top.n, 2)
	kids := top.n
	b.release()
	_, err = r.end()
	require.NoError(t, errors.Join(err, f.close()))
	for i := range kids {
		disk := changed(t, whole, rnd, "data/"+fileName, func(f vfs.File, _ int64) {
			id := binary.NativeEndian.AppendUint64(nil, uint64(root))
			_, err := f.WriteAt(id, root*size+pageHeader+int64(i)*elementSize+8)
			require.NoError(t, err)
		})
		e, err := Open(Options{FS: disk, Dir: "data", MapBytes: smallMap})
		if err != nil { // the first or the last one
			require.ErrorIs(t, err, engine.ErrDamaged)
			continue
		}
		require.NotEmpty(t, requireWhole(t, rnd, e, want))
		require.NoError(t, e.Close())
	}
}

// A file of the time before checksums is refused, and says so.
func TestOldFile(t *testing.T) {
	dir := t.TempDir()
	d := directory{dir: dir}
	require.NoError(t, d.open(t).Close())
	db, err := bolt.Open(filepath.Join(dir, fileName), 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte(oldStateBucket))
		return errors.Join(tx.DeleteBucket(stateBucket), err)
	}))
	require.NoError(t, db.Close())
	_, err = Open(Options{Dir: dir})
	require.ErrorIs(t, err, errOldFile)
	require.NotErrorIs(t, err, engine.ErrDamaged)
}

// A panic in the middle of a transaction leaves none open; one within bbolt's locks leaves a file that is closed without them.
func TestPanicLeavesNoLock(t *testing.T) {
	c := newCrashable(Options{})
	var fatal error
	c.opts.Fatal = func(err error) { fatal = err }
	e := c.open(t)
	set(t, e, 1, 10)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	broken := errors.New("what bbolt says")
	err = e.commit(e.now.Load().base, func(*bolt.Tx) error { panic(broken) })
	require.ErrorIs(t, err, engine.ErrDamaged)
	require.ErrorIs(t, fatal, engine.ErrDamaged)
	tx, err := e.file.begin(true) // nobody has the lock
	require.NoError(t, err)
	require.NoError(t, e.file.end(tx))
	require.Equal(t, 1, count(t, e), "what was applied stays readable")

	err = guard(func() error {
		return e.file.locking(func() error {
			_, err := e.file.db.Begin(true)
			require.NoError(t, err)
			panic(broken)
		})
	})
	require.ErrorIs(t, err, engine.ErrDamaged)
	_, err = e.file.begin(false)
	require.ErrorIs(t, err, errStuck)
	require.ErrorIs(t, e.Close(), errStuck)
	e = c.open(t)
	require.Equal(t, 1, count(t, e))
	require.NoError(t, e.Close())

	// On the operating system's file system another one may open the file, too, though it is mapped.
	d := directory{dir: t.TempDir(), opts: Options{Fatal: func(error) {}}}
	e = d.open(t)
	_ = guard(func() error { return e.file.locking(func() error { panic(broken) }) })
	require.ErrorIs(t, e.Close(), errStuck)
	e = d.open(t)
	require.NoError(t, e.Close())
}

// A branch that leads to another of its kids than the key says is found out: a key would be looked for where it is not.
func TestKidOfAnotherKey(t *testing.T) {
	whole, want, rnd := smallTree(t)
	o := Options{FS: whole, Dir: "data"}
	require.NoError(t, o.ensureDefaults())
	f, _, err := openFile(&o, true)
	require.NoError(t, err)
	var r retired
	b, err := r.newBase(f)
	require.NoError(t, err)
	root, size := int64(b.rows.root), int64(b.pages.size)
	top, err := b.rows.page(b.rows.root)
	require.NoError(t, err)
	require.False(t, top.leaf)
	kids := int64(top.n)
	require.Greater(t, kids, int64(2))
	b.release()
	_, err = r.end()
	require.NoError(t, errors.Join(err, f.close()))
	kidAt := func(i int64) int64 { return root*size + pageHeader + i*elementSize + 8 }
	for i := range kids {
		disk := changed(t, whole, rnd, "data/"+fileName, func(f vfs.File, _ int64) {
			id := make([]byte, 8)
			_, err := f.ReadAt(id, kidAt((i+1)%kids))
			require.NoError(t, err)
			_, err = f.WriteAt(id, kidAt(i))
			require.NoError(t, err)
		})
		o := Options{FS: disk, Dir: "data", MapBytes: smallMap}
		require.NoError(t, o.ensureDefaults())
		f, _, err := openFile(&o, true)
		if err != nil { // the first or the last one
			require.ErrorIs(t, err, engine.ErrDamaged)
			continue
		}
		var r retired
		b, err := r.newBase(f)
		require.NoError(t, err)
		noticed := false
		for key, value := range want {
			v, ok, err := b.get([]byte(key))
			if err != nil {
				require.ErrorIs(t, err, engine.ErrDamaged)
				noticed = true
				continue
			}
			require.True(t, ok, "%s, kid %d", key, i)
			require.Equal(t, value, string(v), "%s, kid %d", key, i)
		}
		require.True(t, noticed, "kid %d", i)
		b.release()
		_, err = r.end()
		require.NoError(t, errors.Join(err, f.close()))
	}
}
