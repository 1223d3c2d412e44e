package usage

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestCountSyncs(t *testing.T) {
	dir := t.TempDir()
	s, err := CountSyncs(os.Getpid(), dir)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("needs root, tracefs and ext4, xfs or btrfs: %v", err)
	}
	require.NoError(t, err)
	defer s.Close()
	n, err := s.Count()
	require.NoError(t, err)
	require.Zero(t, n)
	f, err := os.Create(dir + "/f")
	require.NoError(t, err)
	defer f.Close()
	const each, goroutines = 3, 4
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				_ = f.Sync()
				_ = unix.Fdatasync(int(f.Fd()))
			}
		})
	}
	wg.Wait()
	n, err = s.Count()
	require.NoError(t, err)
	require.EqualValues(t, 2*each*goroutines, n)
}

func TestCountSyncsFails(t *testing.T) {
	_, err := CountSyncs(os.Getpid(), "/proc")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = CountSyncs(os.Getpid(), "/does/not/exist")
	require.ErrorIs(t, err, os.ErrNotExist)
}
