//go:build unix

package child

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Process is a running child. Its methods are safe for concurrent use.
type Process struct {
	cmd  *exec.Cmd
	name string
	done chan struct{}
	err  error // valid after done
}

// Start starts cmd. Its SysProcAttr is overwritten.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, name: filepath.Base(cmd.Path), done: make(chan struct{})}
	cmd.SysProcAttr = attributes()
	started := make(chan error)
	go func() {
		// The kernel's parent of a process is the thread that made it: it has to live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// Pid is the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the end and tells how it was; nil is exit code 0.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Running tells whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// CPU is the time that the ended process has used, with that of its own children.
func (p *Process) CPU() time.Duration {
	<-p.done
	s := p.cmd.ProcessState
	return s.UserTime() + s.SystemTime()
}

// Stop asks the process to end (SIGTERM), and kills it if it has not after the
// given time, which is then the error. How it ended otherwise is Wait's result.
func (p *Process) Stop(patience time.Duration) error {
	if !p.Running() {
		return p.err
	}
	if err := syscall.Kill(p.Pid(), syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end %s: %w", p.name, err)
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-p.done:
		p.killGroup() // what it may have left behind
		return p.err
	case <-t.C:
		p.Kill()
		return fmt.Errorf("%s did not end within %v of SIGTERM and was killed", p.name, patience)
	}
}

// Kill ends the process and its group at once, and waits for that.
func (p *Process) Kill() {
	if p.Running() {
		p.killGroup()
		<-p.done
	}
}

// killGroup can only fail with "there is none", which is what is wanted.
func (p *Process) killGroup() { _ = syscall.Kill(-p.Pid(), syscall.SIGKILL) }
