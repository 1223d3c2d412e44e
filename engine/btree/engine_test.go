package btree

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/internal/crashfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// smallMap is enough for tests; many of them run at once.
const smallMap = 64 << 20

// crashable keeps the engine on a file system that forgets what was not synced.
type crashable struct {
	fs   *crashfs.FS
	rnd  *rand.Rand
	opts Options
}

func (c *crashable) open(t testing.TB) *Engine {
	o := c.opts
	o.FS, o.Dir = c.fs, "data"
	if o.Fatal == nil {
		o.Fatal = func(err error) { t.Error(err) }
	}
	e, err := Open(o)
	require.NoError(t, err)
	return e
}

func (c *crashable) Crash(t *testing.T, e engine.Engine) {
	fs := c.fs.Crash(crashfs.RandomLoss(c.rnd), c.rnd)
	require.NoError(t, e.Close())
	c.fs = fs
}

func newCrashable(o Options) *crashable {
	o.MapBytes = smallMap
	return &crashable{fs: crashfs.New(), rnd: rand.New(rand.NewPCG(3, 4)), opts: o}
}

// can is what the engine declares.
var can = enginetest.Can{Importer: true, MarkResetter: true, Exporter: true, Pressed: true}

// Can is what the engine declares.
func (d directory) Can() enginetest.Can { return can }

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness {
		return enginetest.NewFiles(Kind{MapBytes: smallMap, DeltaKeys: 4096}, can)
	})
}

// smallKind takes checkpoints often, and makes debts of little.
type smallKind struct{ Kind }

func (smallKind) small(o engine.Options) Options {
	small := Kind{MapBytes: smallMap, DeltaKeys: 1000}.options(o)
	small.partKeys, small.runBlockBytes = 3, 100
	return small
}

func (k smallKind) Peek(o engine.Options, key []byte) (engine.Mark, bool, error) {
	return Peek(k.small(o), key)
}

func (k smallKind) Open(o engine.Options) (engine.Engine, error) { return Open(k.small(o)) }

func TestConformanceSmall(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness { return enginetest.NewFiles(smallKind{}, can) })
}

// The same on a real directory.
type directory struct {
	dir  string
	opts Options
}

func (d directory) Open(t *testing.T) engine.Engine { return d.open(t) }

func (d directory) open(t testing.TB) *Engine {
	o := d.opts
	o.Dir = d.dir
	o.Fatal = func(err error) { t.Error(err) }
	e, err := Open(o)
	require.NoError(t, err)
	return e
}

func (d directory) Crash(t *testing.T, e engine.Engine) { require.NoError(t, e.Close()) }

func TestConformanceOnDisk(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Harness { return directory{dir: t.TempDir()} })
}
