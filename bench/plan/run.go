//go:build unix

package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Options of Run.
type Options struct {
	// Program is this one: it runs the steps.
	Program string
	Out     string
	// Data is the directory on the device to be measured; "" means Out.
	Data   string
	Budget time.Duration
	// Names of the steps to make; none means all.
	Names    []string
	Progress io.Writer // nil: nowhere

	stepsForTesting []Step
	nowForTesting   func() time.Time
}

// ErrFailed is returned, wrapped, if a step has failed. The others were made.
var ErrFailed = errors.New("failed")

type runner struct {
	o     Options
	state state
}

// Run makes the steps that have not ended yet. When ctx is done it ends the one that is under way.
func Run(ctx context.Context, o Options) (err error) {
	if o.stepsForTesting == nil {
		o.stepsForTesting = Steps
	}
	if o.nowForTesting == nil {
		o.nowForTesting = time.Now
	}
	if o.Data == "" {
		o.Data = o.Out
	}
	for _, path := range []*string{&o.Out, &o.Data} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
		if err := os.MkdirAll(*path, 0o755); err != nil {
			return err
		}
	}
	r := &runner{o: o}
	if r.state, err = readState(o.Out); err != nil {
		return err
	}
	todo, err := r.todo()
	if err != nil {
		return err
	}
	return r.run(ctx, todo)
}

// todo are the steps that have not ended well yet.
func (r *runner) todo() ([]Step, error) {
	for _, name := range r.o.Names {
		if !slices.ContainsFunc(r.o.stepsForTesting, func(s Step) bool { return s.Name == name }) {
			var names []string
			for _, s := range r.o.stepsForTesting {
				names = append(names, s.Name)
			}
			return nil, fmt.Errorf("there is no benchmark %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	var todo []Step
	for _, s := range r.o.stepsForTesting {
		ended, has := r.state[s.Name]
		switch {
		case len(r.o.Names) > 0 && !slices.Contains(r.o.Names, s.Name):
		case has && ended.Failed == "":
			r.say("%s: measured before", s.Name)
		default:
			todo = append(todo, s)
		}
	}
	return todo, nil
}

func (r *runner) run(ctx context.Context, todo []Step) error {
	end := r.o.nowForTesting().Add(r.o.Budget)
	var failed []error
	for i, s := range todo {
		began := r.o.nowForTesting()
		budget := share(end.Sub(began), todo[i:])
		r.say("[%d/%d] %s: about %v of %v", i+1, len(todo), s.Name, budget.Round(time.Second), end.Sub(began).Round(time.Second))
		err := r.step(ctx, s, budget)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ended := Ended{Began: began.Round(time.Second), Took: r.o.nowForTesting().Sub(began)}
		if err != nil {
			ended.Failed = err.Error()
			failed = append(failed, fmt.Errorf("%s: %w", s.Name, err))
			r.say("%s has failed: %v", s.Name, err)
		}
		r.state[s.Name] = ended
		if err := r.state.write(r.o.Out); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d benchmarks %w: %w", len(failed), len(todo), ErrFailed, errors.Join(failed...))
	}
	return nil
}

// share of the time that is left for the first of the steps that are.
func share(left time.Duration, steps []Step) time.Duration {
	all := 0.0
	for _, s := range steps {
		all += s.Weight
	}
	return max(time.Duration(float64(left)*steps[0].Weight/all), 0).Truncate(time.Second)
}

func (r *runner) say(format string, args ...any) {
	if r.o.Progress != nil {
		// That nobody can read it is no reason to stop measuring.
		_, _ = fmt.Fprintf(r.o.Progress, format+"\n", args...)
	}
}

func (r *runner) step(ctx context.Context, s Step, budget time.Duration) (err error) {
	out, data := filepath.Join(r.o.Out, s.Name), r.o.Data
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if s.Slow {
		data = filepath.Join(r.o.Data, "duramen-bench-slow")
		if err := r.slowUp(ctx, out, data); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.slowDown(ctx, out, data)) }()
	}
	if s.Suite == "" {
		return r.bench(ctx, out, "report.txt", s.Command(budget, out, data)...)
	}
	line := []string{"run", "--out=" + out, "--data=" + data}
	if _, err := os.Stat(filepath.Join(out, "run.json")); err != nil {
		line = append(append(line, "--suite="+s.Suite, fmt.Sprintf("--budget=%v", budget)), s.Args...)
	} // otherwise it goes on as it began
	if err := r.bench(ctx, out, "report.txt", line...); err != nil {
		return err
	}
	return r.bench(ctx, out, "log.txt", "report", "--charts", out)
}

// slowUp makes the slow disk, after what an interrupted run may have left of one.
func (r *runner) slowUp(ctx context.Context, out, dir string) error {
	if _, err := os.Stat(dir + ".slowdisk"); err == nil {
		if err := r.slowDown(ctx, out, dir); err != nil {
			return err
		}
	}
	return r.bench(ctx, out, "log.txt", "slowdisk", "up", "--latency=1ms", "--size=8G", dir)
}

func (r *runner) slowDown(ctx context.Context, out, dir string) error {
	err := r.bench(context.WithoutCancel(ctx), out, "log.txt", "slowdisk", "down", dir)
	if err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// patience is how long an interrupted command may take to end its servers and remove its data.
const patience = 3 * time.Minute

// bench runs a command of `duramen bench`. What it prints goes to a file of the step; what it says on the way to log.txt and to
// whoever waits.
func (r *runner) bench(ctx context.Context, out, prints string, args ...string) (err error) {
	open := func(name string) (*os.File, error) {
		return os.OpenFile(filepath.Join(out, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	}
	log, err := open("log.txt")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	stdout := log
	if prints != "log.txt" {
		if err := os.RemoveAll(filepath.Join(out, prints)); err != nil { // of an earlier attempt
			return err
		}
		if stdout, err = open(prints); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stdout.Close()) }()
	}
	cmd := exec.CommandContext(ctx, r.o.Program, append([]string{"bench"}, args...)...)
	last := &lastLine{}
	said := io.MultiWriter(log, last)
	if r.o.Progress != nil {
		said = io.MultiWriter(log, last, r.o.Progress)
	}
	cmd.Stdout, cmd.Stderr = stdout, said
	// It ends its servers itself. Ctrl-C reaches us only, and it through us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bench %s: %w: %s", args[0], err, last.text)
	}
	return nil
}

// lastLine keeps the last line that was written.
type lastLine struct{ text string }

func (l *lastLine) Write(b []byte) (int, error) {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if line := lines[len(lines)-1]; line != "" {
		l.text = line
	}
	return len(b), nil
}
