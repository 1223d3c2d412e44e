package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/child"
	"github.com/duramendb/duramen/bench/usage"
)

// Sysbench is an installed sysbench.
type Sysbench struct {
	Path    string
	Version string // as it says it, such as "sysbench 1.0.20"
	// ConfigFile is where the password goes, which a command line would show to everybody.
	ConfigFile string
	Script     string // see WriteScript
}

// ErrNoSysbench says what to install.
var ErrNoSysbench = errors.New("sysbench 1.0.20 makes the load, and is not there: apt-get install sysbench (Debian, Ubuntu), or name it with --sysbench")

// New finds sysbench by its name or path, and writes into dir what it needs.
func New(ctx context.Context, path, dir string) (*Sysbench, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoSysbench, err)
	}
	out, err := exec.CommandContext(ctx, found, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", found, err)
	}
	// Version 1.1 renamed options, 0.5 has no hooks.
	version := strings.TrimSpace(string(out))
	if !strings.HasPrefix(version, "sysbench 1.0.") {
		return nil, fmt.Errorf("%s says it is %q: %w", found, version, ErrNoSysbench)
	}
	s := &Sysbench{Path: found, Version: version, ConfigFile: filepath.Join(dir, "sysbench.conf")}
	s.Script, err = WriteScript(dir)
	return s, err
}

// Address is where a server listens, and who to be there.
type Address struct {
	Host           string
	Port           int
	Socket         string // instead of host and port, if it is not empty
	User, Password string
	Database       string
}

// Options of Run, Prepare and Restore. All but Sets have to be given.
type Options struct {
	Address   Address
	Workload  string
	Tables    int
	TableSize int
	Sets      []Set // that Prepare makes; none means Plain
	Clients   int
	WarmUp    time.Duration // whole seconds; 0 for none
	Time      time.Duration // whole seconds
	// Events, if it is not 0, is how many transactions are made, however long that takes; there is no warm-up then.
	Events int
	// Prepared: prepared statements, otherwise text.
	Prepared bool
	Seed     int // of random numbers; not 0
}

// Result of a run.
type Result struct {
	// Events are transactions that were made, Errors those that sysbench had to repeat (deadlocks and the like).
	Events, Errors uint64
	Elapsed        time.Duration
	Latency        Latency
	ClientCPU      time.Duration // of sysbench, during the measured time
}

// retried are the errors after which an event is repeated: a row changed since it was read (1020),
// a lock that was not granted in time (1205), a deadlock (1213).
const retried = "1020,1205,1213"

// patience is how long sysbench may take beyond its time, before it counts as failed; eventsPatience is
// how long it may take for a number of events.
const (
	patience       = time.Minute
	eventsPatience = 15 * time.Minute
)

func (s *Sysbench) command(o Options, verb string, args ...string) (*exec.Cmd, error) {
	mode := "disable"
	if o.Prepared {
		mode = "auto"
	}
	line := []string{
		s.Script, "--db-driver=mysql", "--mysql-user=" + o.Address.User, "--mysql-db=" + o.Address.Database,
		"--mysql-ignore-errors=" + retried, "--db-ps-mode=" + mode, "--rand-type=uniform", "--rand-seed=" + strconv.Itoa(o.Seed),
		"--workload=" + o.Workload, "--tables=" + strconv.Itoa(o.Tables), "--table-size=" + strconv.Itoa(o.TableSize),
		"--threads=" + strconv.Itoa(o.Clients),
	}
	if o.Address.Socket != "" {
		line = append(line, "--mysql-socket="+o.Address.Socket)
	} else {
		line = append(line, "--mysql-host="+o.Address.Host, "--mysql-port="+strconv.Itoa(o.Address.Port))
	}
	if o.Address.Password != "" {
		if err := os.WriteFile(s.ConfigFile, []byte("mysql-password="+o.Address.Password+"\n"), 0o600); err != nil {
			return nil, fmt.Errorf("write sysbench's configuration: %w", err)
		}
		line = append(line, "--config-file="+s.ConfigFile)
	}
	return exec.Command(s.Path, append(append(line, args...), verb)...), nil
}

// Prepare creates and fills the tables.
func (s *Sysbench) Prepare(ctx context.Context, o Options) error {
	o.Clients = min(o.Clients, o.Tables)
	var sets []string
	for _, set := range o.Sets {
		sets = append(sets, strings.TrimSuffix(set.Prefix+":"+set.Engine, ":"))
	}
	if len(sets) == 0 {
		sets = []string{Plain}
	}
	return s.tables(ctx, o, "prepare", "--sets="+strings.Join(sets, ","))
}

// Restore brings the tables back to the state after Prepare, where the workload has changed it.
func (s *Sysbench) Restore(ctx context.Context, o Options) error {
	o.Clients = min(o.Clients, o.Tables)
	return s.tables(ctx, o, "restore")
}

func (s *Sysbench) tables(ctx context.Context, o Options, verb string, args ...string) error {
	cmd, err := s.command(o, verb, args...)
	if err != nil {
		return err
	}
	if _, _, err := run(ctx, cmd, false, moments{func() {}, func() {}}); err != nil {
		return fmt.Errorf("sysbench %s: %w", verb, err)
	}
	return nil
}

// Run runs a workload. When the measured time begins, it calls began with
// sysbench's process id; when it has ended, ended. An error means that nothing was measured.
func (s *Sysbench) Run(ctx context.Context, o Options, began func(pid int), ended func()) (Result, error) {
	atMost := o.WarmUp + o.Time + patience
	args := []string{
		"--histogram=on", "--events=0", fmt.Sprintf("--time=%d", int((o.WarmUp + o.Time).Seconds())),
		fmt.Sprintf("--forced-shutdown=%d", int(patience.Seconds())/2),
	}
	if o.Events > 0 {
		o.WarmUp, atMost = 0, eventsPatience
		args = []string{"--histogram=on", fmt.Sprintf("--events=%d", o.Events), "--time=0"}
	}
	if o.WarmUp > 0 {
		args = append(args, fmt.Sprintf("--report-checkpoints=%d", int(o.WarmUp.Seconds())))
	}
	cmd, err := s.command(o, "run", args...)
	if err != nil {
		return Result{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, atMost, fmt.Errorf("sysbench did not end within %v", atMost))
	defer cancel()
	var before time.Duration
	out, p, err := run(limited, cmd, o.WarmUp > 0, moments{
		began: func() {
			pid := cmd.Process.Pid
			began(pid)
			before = usage.Read(pid).CPU
		},
		ended: ended,
	})
	if err != nil {
		return Result{}, err
	}
	res, err := out.result(o.WarmUp > 0)
	if err != nil {
		return Result{}, err
	}
	res.ClientCPU = p.CPU() - before
	return res, nil
}

// run runs sysbench to its end, or kills it when ctx is done.
func run(ctx context.Context, cmd *exec.Cmd, warmUp bool, m moments) (*output, *child.Process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	defer r.Close()
	cmd.Stdout, cmd.Stderr = w, w
	p, err := child.Start(cmd)
	_ = w.Close() // ours, which nothing was written to; the child has its own
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	out, err := read(r, warmUp, m)
	if err != nil {
		p.Kill()
	}
	// If reading failed, what is still in the pipe is of no use.
	_, _ = io.Copy(io.Discard, r)
	ended := p.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		return nil, nil, err
	case len(out.fatal) > 0:
		return nil, nil, out.gaveUp()
	case ended != nil:
		return nil, nil, fmt.Errorf("sysbench: %w: %s", ended, out.tail.text())
	}
	return out, p, nil
}
