//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func start(t *testing.T, script string) *Process {
	p, err := Start(exec.Command("sh", "-c", script))
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p
}

func TestEnds(t *testing.T) {
	require.NoError(t, start(t, "exit 0").Wait())
	p := start(t, "exit 3")
	require.ErrorContains(t, p.Wait(), "exit status 3")
	require.False(t, p.Running())
	require.GreaterOrEqual(t, p.CPU(), time.Duration(0))
	require.ErrorContains(t, p.Stop(0), "exit status 3", "it is known how it ended")
	p.Kill() // no harm

	_, err := Start(exec.Command("/does/not/exist"))
	require.ErrorContains(t, err, "start /does/not/exist")
}

// ready waits for the line that a script prints when it is ready.
func ready(t *testing.T, script string) *Process {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = w
	p, err := Start(cmd)
	require.NoError(t, w.Close())
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	_, err = r.Read(make([]byte, 100))
	require.NoError(t, err)
	return p
}

func TestStop(t *testing.T) {
	p := ready(t, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done")
	require.True(t, p.Running())
	require.NoError(t, p.Stop(time.Minute))

	p = ready(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done")
	require.ErrorContains(t, p.Stop(time.Millisecond), "was killed")
	require.False(t, p.Running())
}

func TestKillReachesTheGroup(t *testing.T) {
	p := ready(t, "sleep 1000 & echo ready; wait")
	p.Kill()
	require.ErrorContains(t, p.Wait(), "signal: killed")
	// Nobody of the group is left that a signal could reach, once init has taken notice.
	require.Eventually(t, func() bool { return syscall.Kill(-p.Pid(), 0) == syscall.ESRCH }, time.Minute, time.Millisecond)
}
