package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/report"
	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/option"
)

// runFlags are the flags of bench run. Those that were given change the suite.
type runFlags struct {
	suite, out, data, sysbench string
	servers, tests, profiles   []string
	extra, engines, modes      []string
	clients                    []int
	psMode, cache              string
	config                     suite.Config // numbers
	budget                     time.Duration
}

func benchRun() *cobra.Command {
	var f runFlags
	var suites, workloads strings.Builder
	for _, s := range suite.Suites {
		fmt.Fprintf(&suites, "  %-20s%s\n", s.Name, s.What)
	}
	for _, w := range load.Workloads {
		fmt.Fprintf(&workloads, "  %-16s%s\n", w.Name, w.What)
	}
	cmd := &cobra.Command{
		Use:   "run --out DIR",
		Short: "Run a suite of workloads on Duramen and on other servers, in turns",
		Long: `Start servers on fresh data directories, load tables, run workloads with sysbench 1.0.20 on one after the other, again and
again, and end the servers. Results go into --out as they come: the same command goes on with a run that was ended early
(--out alone is enough then). In the end, or with "duramen bench report DIR" at any time: tables, report.md and report.html.

Suites:
` + suites.String() + `
Workloads, for --tests:
` + workloads.String() + `
Servers: without --server, this program, and mariadbd and mysqld if they are installed. Otherwise each --server is one of
  KIND           duramen, mariadb or mysql, as found on PATH
  KIND:PATH      that program
  NAME=KIND:PATH with a name of its own, such as mariadb-12=mariadb:/opt/mariadb-12.3/bin/mariadbd
  NAME=DSN       a server that runs already, such as prod=root:secret@tcp(127.0.0.1:3306)/

Profiles are option files: sync (a commit survives a power cut), nosync, sync0 and sync1000 (values of sync_binlog; InnoDB's
log is synced), nobinlog, and append (sync with binlog_preallocate=OFF); onelog, 2pc, 2pc-eager and engine are Duramen's
commit protocols, all durable.

The first engine of a server is InnoDB; the second of Duramen is BTREE, that of MariaDB ROCKSDB (if its plugin is installed);
tables that keep nothing over a restart are MEMORY in Duramen, and in no other server. --engines names others.

In the suite replica, workloads run on a MariaDB (the first --server of that kind) that syncs nothing, --events of them with --clients, while all
replicas are stopped; then one replica after the other applies them. A MariaDB is measured once for each of --replica-modes, as NAME-MODE.

In the suite semisync each server is a primary with a replica of its own kind: NAME-async, and NAME-semisync, whose commits wait for the replica.
NAME-semisync-unsynced is a MariaDB whose replica acknowledges before it has synced. --option NAME-async:... counts for both servers of a pair.

Ctrl-C ends the run and all its servers, and removes their data.`,
		Example: `  duramen bench run --out /tmp/quick
  duramen bench run --suite binlog-engine --out results --data /mnt/disk --server duramen --server mariadb
  duramen bench run --suite group-commit --out results --clients 1,8,64 --time 10s --repeats 5`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	p := cmd.Flags()
	p.StringVar(&f.suite, "suite", suite.Suites[0].Name, "what to measure")
	p.StringVar(&f.out, "out", "", "directory for the results")
	p.StringVar(&f.data, "data", "", "directory on the disk to be measured, for the servers' data; --out if not given")
	p.StringArrayVar(&f.servers, "server", nil, "a server, see above; may be repeated")
	p.StringSliceVar(&f.profiles, "profiles", nil, "profiles of the servers")
	p.StringSliceVar(&f.tests, "tests", nil, "workloads")
	p.IntSliceVar(&f.clients, "clients", nil, "numbers of clients, from 1 to 1024")
	p.IntVar(&f.config.Tables, "tables", 0, "number of tables (oltp-rw and update-nokey always use 8)")
	p.IntVar(&f.config.TableSize, "table-size", 0, "rows of a table")
	p.DurationVar(&f.config.Time, "time", 0, "of each turn, in whole seconds")
	p.DurationVar(&f.config.WarmUp, "warm-up", 0, "before the time of each turn")
	p.DurationVar(&f.config.Settle, "settle", 0, "how long at most to wait before a turn until the disk is idle")
	p.DurationVar(&f.budget, "budget", 0, "how long the run may take, about: chooses --time and --repeats")
	p.IntVar(&f.config.Events, "events", 0, "transactions of each turn, instead of a time")
	p.IntVar(&f.config.Repeats, "repeats", 0, "turns of each test on each server")
	p.StringVar(&f.psMode, "ps-mode", "on", "prepared statements: on or off")
	p.StringVar(&f.cache, "cache", "1G", "innodb_buffer_pool_size of each server")
	p.StringArrayVar(&f.extra, "option", nil, "NAME:OPTION=VALUE, a further option of the server NAME; may be repeated")
	p.StringArrayVar(&f.engines, "engines", nil, "NAME=FIRST[,SECOND[,MEMORY]], the engines of the server NAME; may be repeated")
	p.StringSliceVar(&f.modes, "replica-modes", suite.ReplicaModes, "parallel modes of MariaDB in the suite replica: serial, or MODE-THREADS")
	p.StringVar(&f.sysbench, "sysbench", "sysbench", "the sysbench program")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // it was defined above
	}
	return cmd
}

// places are the flags that do not say what is measured.
var places = []string{"out", "data", "sysbench"}

func (f *runFlags) run(cmd *cobra.Command) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the next one ends the program; its children die with it.
	context.AfterFunc(ctx, stop)
	cfg, err := f.configure(ctx, cmd.Flags())
	if err != nil {
		return err
	}
	err = suite.Run(ctx, suite.Options{Config: cfg, Out: f.out, Data: f.data, Sysbench: f.sysbench, Progress: cmd.ErrOrStderr()})
	switch {
	case errors.Is(err, context.Canceled):
		return benchFailed(fmt.Errorf("interrupted; go on with: duramen bench run --out %s (%w)", f.out, err))
	case err != nil && !errors.Is(err, suite.ErrFailedTurns):
		return benchFailed(err)
	}
	if rerr := writeReport(cmd, f.out, report.Options{}); rerr != nil {
		err = errors.Join(err, rerr)
	}
	if err != nil {
		return benchFailed(err)
	}
	return nil
}

// configure makes the configuration: that of the directory if no flag says otherwise, or the suite's, changed by the flags.
func (f *runFlags) configure(ctx context.Context, given *pflag.FlagSet) (suite.Config, error) {
	changed := false
	given.Visit(func(fl *pflag.Flag) { changed = changed || !slices.Contains(places, fl.Name) })
	if !changed {
		switch info, _, err := suite.Load(f.out); {
		case err == nil:
			return resumed(info.Config)
		case !errors.Is(err, fs.ErrNotExist):
			return suite.Config{}, benchFailed(err)
		}
	}
	s, err := suite.Find(f.suite)
	if err != nil {
		return suite.Config{}, err
	}
	cfg := suite.New(s)
	for name, set := range map[string]func(){
		"tables":     func() { cfg.Tables = f.config.Tables },
		"table-size": func() { cfg.TableSize = f.config.TableSize },
		"time":       func() { cfg.Time = f.config.Time },
		"warm-up":    func() { cfg.WarmUp = f.config.WarmUp },
		"settle":     func() { cfg.Settle = f.config.Settle },
		"events":     func() { cfg.Events = f.config.Events },
		"repeats":    func() { cfg.Repeats = f.config.Repeats },
		"tests":      func() { cfg.SetTests(f.tests) },
		"clients":    func() { cfg.SetClients(f.clients) },
	} {
		if given.Changed(name) {
			set()
		}
	}
	if f.psMode != "on" && f.psMode != "off" {
		return cfg, fmt.Errorf("--ps-mode %q: want on or off", f.psMode)
	}
	cfg.Prepared = f.psMode == "on"
	if cfg.CacheBytes, err = option.ParseSize(f.cache); err != nil {
		return cfg, fmt.Errorf("--cache: %w", err)
	}
	specs, err := f.specs(ctx, s)
	if err != nil {
		return cfg, err
	}
	if s.Replicas {
		if specs, err = cfg.SetReplicas(specs, f.modes); err != nil {
			return cfg, err
		}
	} else if given.Changed("replica-modes") {
		return cfg, fmt.Errorf("--replica-modes: suite %s has no replicas of one primary", s.Name)
	}
	if s.Pairs {
		if specs, err = cfg.SetPairs(specs); err != nil {
			return cfg, err
		}
	}
	if err := f.setEngines(ctx, &cfg, specs); err != nil {
		return cfg, err
	}
	profiles := s.Profiles
	if given.Changed("profiles") {
		profiles = f.profiles
	}
	if err := cfg.SetContenders(specs, profiles); err != nil {
		return cfg, err
	}
	cfg.AddOptions(s, specs)
	for _, e := range f.extra {
		name, line, ok := strings.Cut(e, ":")
		if !ok || !slices.ContainsFunc(specs, func(s target.Spec) bool { return s.Name == name && s.Kind != target.Running }) {
			return cfg, fmt.Errorf("--option %q: want NAME:OPTION=VALUE with the name of a server that is started", e)
		}
		if cfg.Extra == nil {
			cfg.Extra = map[string][]string{}
		}
		cfg.Extra[name] = append(cfg.Extra[name], line)
	}
	if given.Changed("budget") {
		if given.Changed("time") || given.Changed("repeats") {
			return cfg, errors.New("--budget chooses --time and --repeats: give it or these")
		}
		if err := cfg.Validate(); err != nil {
			return cfg, err
		}
		if err := cfg.Fit(f.budget); err != nil {
			return cfg, benchFailed(fmt.Errorf("--budget: %w", err))
		}
	}
	return cfg, cfg.Validate()
}

// resumed is the configuration of an earlier run. It has no passwords.
func resumed(cfg suite.Config) (suite.Config, error) {
	for _, c := range cfg.Contenders {
		if c.Kind == target.Running {
			return cfg, fmt.Errorf("the run has the running server %q, whose password was not kept: give all flags again", c.Name)
		}
	}
	return cfg, nil
}

// setEngines gives each server the engines of its kind, or those that the flags name, if the tests need any.
func (f *runFlags) setEngines(ctx context.Context, cfg *suite.Config, specs []target.Spec) error {
	named := map[string]string{}
	for _, e := range f.engines {
		name, engines, ok := strings.Cut(e, "=")
		if !ok || !slices.ContainsFunc(specs, func(s target.Spec) bool { return s.Name == name }) {
			return fmt.Errorf("--engines %q: want NAME=FIRST[,SECOND[,MEMORY]] with the name of a server", e)
		}
		named[name] = engines
	}
	if !cfg.NeedsEngines() {
		if len(named) > 0 {
			return errors.New("--engines: no workload of this run uses them")
		}
		return nil
	}
	for i := range specs {
		s := &specs[i]
		var err error
		if text, ok := named[s.Name]; ok {
			if s.Engines, err = target.ParseEngines(text); err != nil {
				return fmt.Errorf("--engines: %w", err)
			}
			continue
		}
		var without string
		if s.Engines, without, err = target.FindEngines(ctx, *s); err != nil {
			return err
		}
		if without != "" {
			cfg.Notes = append(cfg.Notes, without+".")
		}
	}
	return nil
}

func (f *runFlags) specs(ctx context.Context, s suite.Suite) ([]target.Spec, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, benchFailed(err)
	}
	if len(f.servers) == 0 {
		specs := target.Installed(ctx, self)
		if s.OnlyDuramen {
			specs = specs[:1]
		}
		return specs, nil
	}
	var specs []target.Spec
	for _, text := range f.servers {
		spec, err := target.ParseSpec(text, self)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}
