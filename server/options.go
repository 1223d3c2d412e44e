package server

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/option"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/store"
)

// SystemOptionFile is read at each start, if it exists.
const SystemOptionFile = "/etc/duramen.cnf"

// optionGroups are the groups of an option file that are ours.
var optionGroups = []string{"mariadbd", "server", "duramen"}

// ownOptions are the options that are no system variables, or whose command
// line differs from the variable. Those that are variables too are listed
// because --help describes them.
var ownOptions = []option.Def{
	{Name: "datadir", Short: 'h', Default: "data", Help: "directory of the data; made at the first start"},
	{Name: "port", Kind: option.Int, Short: 'P', Default: "3306", Help: "TCP port"},
	{Name: "bind_address", Default: "127.0.0.1", Help: "addresses to listen on, separated by commas; * for all"},
	{Name: "socket", Help: "unix socket; duramen.sock in the data directory unless given"},
	{Name: "skip_networking", Kind: option.Bool, Default: "OFF", Help: "listen on the unix socket only"},
	{Name: "server_id", Kind: option.Int, Default: "1", Help: "this server's id in the binary log; replicas need another"},
	{Name: "gtid_domain_id", Kind: option.Int, Default: "0", Help: "domain of this server's GTIDs"},
	{Name: "skip_slave_start", Kind: option.Bool, Default: "OFF", Help: "do not start following primaries; START SLAVE does"},
	{Name: "init_rpl_role", Default: "MASTER", Help: "SLAVE: after a crash, this server's own transactions that no table has yet are set aside; its successor as a primary sends those that were acknowledged"},
	{Name: "master_retry_count", Kind: option.Int, Default: "100000", Help: "how often a replica tries to connect before it gives up; 0 for ever"},
	{Name: "replicate_same_server_id", Kind: option.Bool, Default: "OFF", Help: "a replica takes what has its own server_id as well"},
	{Name: "pid_file", Help: "file for the process id; duramen.pid in the data directory unless given"},
	{Name: "log_bin", Default: "binlog", Optional: true, Help: "base name of the binary log's files; the log cannot be switched off"},
	{Name: "max_binlog_size", Kind: option.Int, Default: "128M", Help: "size of a file of the binary log"},
	{Name: "sync_binlog", Kind: option.Int, Default: "1", Help: "1: a commit is durable when it is acknowledged; N: sync after N commit groups; 0: leave it to the system"},
	{Name: "binlog_preallocate", Kind: option.Bool, Default: "ON", Help: "fill files of the binary log with zeros ahead of need, so that a commit only overwrites"},
	{Name: "binlog_cache_size", Kind: option.Int, Default: "32K", Help: "events of a transaction in memory; what is more goes to a file"},
	{Name: "max_binlog_cache_size", Kind: option.Int, Default: "4G", Help: "events of a transaction at most; there is a limit a little below 4 GiB anyway"},
	{Name: "binlog_large_commit_threshold", Kind: option.Int, Default: "16M", Help: "a transaction with more events is written as a file of the binary log before its commit; also its changed rows in memory"},
	{Name: "binlog_sync_method", Default: "auto", Help: "fdatasync; direct (O_DIRECT|O_DSYNC, needs binlog_preallocate); auto: the faster one, measured at each start"},
	{Name: "checkpoint_log_size", Kind: option.Int, Default: "128M", Help: "how much binary log is written between two checkpoints of the storage engines, and has to be replayed after a crash"},
	{Name: "checkpoint_interval", Kind: option.Seconds, Default: "60", Help: "time after which there is a checkpoint in any case"},
	{Name: "commit_protocol", Help: "of a new data directory: onelog (the default); for comparison 2pc-eager, 2pc and engine (see docs/protocols.md). A directory keeps the one it was made with"},
	{Name: "gtid_pos_in_engine", Help: "lsm, btree or auto: the engine with a table of replication positions, for measurements with the commit protocols 2pc and 2pc-eager (see docs/protocols.md); none unless given"},
	{Name: "recover_until", Help: "start with the binary log up to file:offset, or up to and with a GTID; what lies after it is set aside, in a directory beside the log"},
	{Name: "innodb_engine", Default: "ROCKSDB", Help: "what ENGINE=InnoDB is in a new data directory: ROCKSDB (an LSM tree) or BTREE; one that exists has what it was made with"},
	{Name: "innodb_buffer_pool_size", Kind: option.Int, Default: "64M", Help: "memory for cached blocks of tables"},
	{Name: "max_connections", Kind: option.Int, Default: "151", Help: "open connections at most"},
	{Name: "max_allowed_packet", Kind: option.Int, Default: "16M", Help: "longest statement or value that a client may send"},
	{Name: "ssl", Kind: option.Bool, Default: "ON", Help: "offer TLS, with a certificate made at the first start unless ssl_cert is given"},
	{Name: "ssl_cert", Help: "PEM file of the server's certificate"},
	{Name: "ssl_key", Help: "PEM file of the certificate's key"},
	{Name: "ssl_ca", Help: "PEM file of the authorities of client certificates"},
	{Name: "require_secure_transport", Kind: option.Bool, Default: "OFF", Help: "refuse connections that are neither encrypted nor local"},
	{Name: "secure_file_priv", Help: "the only directory for files of LOAD DATA INFILE, INTO OUTFILE and LOAD_FILE; DATADIR-files unless given, NULL for none, empty for any but the data directory"},
	{Name: "default_time_zone", Help: "the time_zone of new sessions; the system's unless given"},
	{Name: "shutdown_timeout", Kind: option.Seconds, Default: "30", Help: "how long a shutdown waits for running statements"},
	{Name: "metrics_address", Help: "host:port of an HTTP server with Prometheus metrics under /metrics; off unless given"},
	{Name: "pprof", Kind: option.Bool, Default: "OFF", Help: "serve Go's profiles under /debug/pprof/ at metrics_address"},
	{Name: "log_level", Default: "info", Help: "debug, info, warn or error"},
	{Name: "log_format", Default: "text", Help: "text or json"},
}

// withoutEffect are variables of MariaDB that SHOW VARIABLES lists and that
// clients may ask for, but that as an option would promise what does not
// happen. They are refused, with what to do instead.
var withoutEffect = map[string]string{
	"log_error":         "the log goes to standard error; redirect it",
	"init_file":         "not supported; run the file with a client",
	"skip_grant_tables": "not supported",
	"encrypt_binlog":    "not supported; encrypt the file system",
	"plugin_load":       "there are no plugins",
	"plugin_load_add":   "there are no plugins",
}

// Options are all options of the server: its own, and every system variable.
func Options() *option.Set {
	defs := append([]option.Def{}, ownOptions...)
	for _, v := range sysvar.All() {
		if v.Scope == sysvar.SessionOnly {
			continue
		}
		d := option.Def{Name: v.Name, Kind: option.String, Rules: query.HasRules(v.Name)}
		switch v.Kind {
		case sysvar.Bool:
			d.Kind = option.Bool
		case sysvar.Uint, sysvar.Int:
			d.Kind = option.Int
		case sysvar.Double:
			d.Kind = option.Float
		case sysvar.Enum, sysvar.Set, sysvar.FlagSet, sysvar.String, sysvar.Name:
		}
		defs = append(defs, d)
	}
	return option.NewSet(defs...)
}

// Config is what a server is made of. Its zero value is not usable; see
// DefaultConfig and ParseConfig.
type Config struct {
	DataDir       string
	Port          int      // 0 lets the system choose
	Bind          []string // addresses; empty for no TCP
	Socket        string   // "" for none
	PIDFile       string   // "" for none
	ServerID      uint32
	LogBasename   string
	MaxBinlogSize int64
	NoPreallocate bool // binlog_preallocate=OFF
	SyncMethod    binlog.SyncMethod
	RecoverUntil  binlog.Until
	// InitAsReplica is init_rpl_role=SLAVE.
	InitAsReplica  bool
	CommitProtocol protocol.Name // "": as the directory was made
	PositionIn     string        // gtid_pos_in_engine
	BufferPoolSize int64
	// Unfinished opens a data directory that is being made (store.UnfinishedName).
	Unfinished bool
	// InnoDBEngine is the name of the default engine, "" for that of the data directory.
	InnoDBEngine    string
	TLS             bool
	Cert, Key, CA   string // PEM files; "" for the generated certificate
	RequireTLS      bool
	ShutdownTimeout time.Duration
	MetricsAddress  string // "" for none
	Pprof           bool
	// SkipSlaveStart, MasterRetryCount and SameServerID are the options about following primaries.
	SkipSlaveStart, SameServerID bool
	MasterRetryCount             uint64
	// Variables are the system variables that were set, as the query engine takes them.
	Variables map[string]any
	Logger    *slog.Logger
	// OnShutdown is called by SHUTDOWN, with whether it says WAIT FOR ALL SLAVES, and must not wait; nil refuses it.
	OnShutdown func(waitForReplicas bool)
	// Warnings are about options that were ignored.
	Warnings []string
}

// DefaultConfig is the configuration without any option.
func DefaultConfig() Config {
	cfg, err := ParseConfig([]string{"--no-defaults"})
	if err != nil {
		panic(err) // the defaults are ours
	}
	return cfg
}

// ParseConfig reads option files and a command line.
func ParseConfig(args []string) (Config, error) {
	v, rest, err := Options().Parse(args, option.Search{
		System: SystemOptionFile, Groups: optionGroups, DatadirOption: "datadir",
	})
	if err != nil {
		return Config{}, &ExitError{Code: ExitUsage, Err: err}
	}
	if len(rest) > 0 {
		return Config{}, &ExitError{Code: ExitUsage, Err: fmt.Errorf("unexpected argument %q", rest[0]),
			Hint: "Options begin with --; see duramen serve --help."}
	}
	cfg, err := configFrom(v)
	if err != nil {
		return Config{}, &ExitError{Code: ExitUsage, Err: err}
	}
	return cfg, nil
}

func configFrom(v option.Values) (Config, error) {
	wrong := func(name, problem string, args ...any) error {
		origin, ok := v.Given(name)
		if !ok {
			origin = "default"
		}
		return &option.Error{Option: name, Origin: origin, Problem: fmt.Sprintf(problem, args...)}
	}
	for name, instead := range withoutEffect {
		if _, ok := v.Given(name); ok && v.String(name) != "OFF" {
			return Config{}, wrong(name, "%s", instead)
		}
	}
	dir, err := filepath.Abs(v.String("datadir"))
	if err != nil {
		return Config{}, wrong("datadir", "%v", err)
	}
	cfg := Config{
		DataDir: dir, Port: int(v.Int("port")), Socket: v.String("socket"), PIDFile: v.String("pid_file"),
		ServerID: uint32(v.Int("server_id")), LogBasename: v.String("log_bin"),
		MaxBinlogSize: v.Int("max_binlog_size"), BufferPoolSize: v.Int("innodb_buffer_pool_size"),
		TLS: v.Bool("ssl"), Cert: v.String("ssl_cert"), Key: v.String("ssl_key"), CA: v.String("ssl_ca"),
		RequireTLS:      v.Bool("require_secure_transport"),
		ShutdownTimeout: v.Duration("shutdown_timeout"),
		MetricsAddress:  v.String("metrics_address"), Pprof: v.Bool("pprof"),
		SkipSlaveStart: v.Bool("skip_slave_start"), SameServerID: v.Bool("replicate_same_server_id"), MasterRetryCount: uint64(max(v.Int("master_retry_count"), 0)),
		Warnings: v.Warned,
	}
	if _, given := v.Given("innodb_engine"); given {
		cfg.InnoDBEngine = v.String("innodb_engine")
		if _, ok := engineNamed(kinds(lsm.Kind{}, btree.Kind{}), cfg.InnoDBEngine); !ok {
			return Config{}, wrong("innodb_engine", "%q is neither ROCKSDB nor BTREE", cfg.InnoDBEngine)
		}
	}
	cfg.NoPreallocate = !v.Bool("binlog_preallocate")
	if cfg.SyncMethod, err = binlog.ParseSyncMethod(v.String("binlog_sync_method")); err != nil {
		return Config{}, wrong("binlog_sync_method", "%v", err)
	}
	if name := v.String("commit_protocol"); name != "" {
		if cfg.CommitProtocol, err = protocol.Parse(name); err != nil {
			return Config{}, wrong("commit_protocol", "%v", err)
		}
	}
	cfg.PositionIn = strings.ToLower(v.String("gtid_pos_in_engine"))
	if name := cfg.PositionIn; name != "" && name != store.PositionAuto {
		if !slices.ContainsFunc(kinds(lsm.Kind{}, btree.Kind{}), func(k engine.Kind) bool { return k.Dir() == name && !k.Volatile() }) {
			return Config{}, wrong("gtid_pos_in_engine", "%q is none of lsm, btree and auto", name)
		}
	}
	if place := v.String("recover_until"); place != "" {
		if cfg.RecoverUntil, err = binlog.ParseUntil(place, cfg.LogBasename); err != nil {
			return Config{}, wrong("recover_until", "%v", err)
		}
	}
	switch role := strings.ToUpper(v.String("init_rpl_role")); role {
	case "SLAVE", "REPLICA", "1":
		cfg.InitAsReplica = true
	case "MASTER", "0":
	default:
		return Config{}, wrong("init_rpl_role", "%q is neither MASTER nor SLAVE", role)
	}
	if port := v.Int("port"); port < 0 || port > 65535 {
		return Config{}, wrong("port", "%d is no TCP port", port)
	}
	if id := v.Int("server_id"); id < 1 || id > 1<<32-1 {
		return Config{}, wrong("server_id", "%d is not between 1 and 4294967295", id)
	}
	if off := strings.ToUpper(cfg.LogBasename); off == "OFF" || off == "0" {
		return Config{}, wrong("log_bin", "the log cannot be switched off: it is what makes commits durable")
	}
	if strings.ContainsAny(cfg.LogBasename, "/\\") || cfg.LogBasename == "" {
		return Config{}, wrong("log_bin", "%q is not the name of a file in the data directory", cfg.LogBasename)
	}
	if (cfg.Cert == "") != (cfg.Key == "") {
		return Config{}, wrong("ssl_cert", "ssl_cert and ssl_key belong together")
	}
	if cfg.RequireTLS && !cfg.TLS {
		return Config{}, wrong("require_secure_transport", "needs ssl")
	}
	if !v.Bool("skip_networking") {
		for a := range strings.SplitSeq(v.String("bind_address"), ",") {
			cfg.Bind = append(cfg.Bind, strings.TrimSpace(a))
		}
	}
	cfg.Socket = inDir(dir, cfg.Socket, "duramen.sock")
	cfg.PIDFile = inDir(dir, cfg.PIDFile, "duramen.pid")
	if cfg.Logger, err = newLogger(v.String("log_level"), v.String("log_format")); err != nil {
		return Config{}, wrong("log_level", "%v", err)
	}
	cfg.Variables = variables(v, &cfg)
	return cfg, nil
}

// inDir makes a file name absolute, relative ones beginning at dir.
func inDir(dir, name, otherwise string) string {
	if name == "" {
		name = otherwise
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// variables are the system variables that follow from the options.
func variables(v option.Values, cfg *Config) map[string]any {
	vars := map[string]any{
		"datadir": cfg.DataDir + string(filepath.Separator), "socket": cfg.Socket, "pid_file": cfg.PIDFile,
		"port": uint64(cfg.Port), "server_id": uint64(cfg.ServerID), "max_binlog_size": uint64(cfg.MaxBinlogSize),
		"binlog_preallocate": !cfg.NoPreallocate, "binlog_sync_method": cfg.SyncMethod.String(),
		"gtid_pos_in_engine":      cfg.PositionIn,
		"innodb_buffer_pool_size": uint64(cfg.BufferPoolSize), "bind_address": strings.Join(cfg.Bind, ","),
		"log_bin": true, "log_bin_basename": filepath.Join(cfg.DataDir, cfg.LogBasename),
		"log_bin_index": filepath.Join(cfg.DataDir, cfg.LogBasename+".index"),
	}
	if host, err := os.Hostname(); err == nil {
		vars["hostname"] = host
	}
	if cfg.TLS {
		vars["have_ssl"], vars["have_openssl"] = "YES", "YES"
	}
	if zone := v.String("default_time_zone"); zone != "" {
		vars["time_zone"] = zone
	}
	for _, name := range append(v.Names(), "sync_binlog", "gtid_domain_id", "max_connections", "max_allowed_packet") {
		if _, done := vars[name]; done {
			continue
		}
		if all := v.All(name); all != nil && query.HasRules(name[strings.LastIndexByte(name, '.')+1:]) {
			vars[name] = all
			continue
		}
		switch value := v.Value(name).(type) {
		case int64:
			if d, ok := sysvar.Lookup(name); ok && d.Kind == sysvar.Uint {
				vars[name] = uint64(value)
			} else {
				vars[name] = value
			}
		case time.Duration:
			vars[name] = uint64(value / time.Second)
		default:
			vars[name] = value
		}
	}
	for name := range vars {
		if _, ok := sysvar.Lookup(name[strings.LastIndexByte(name, '.')+1:]); !ok {
			delete(vars, name) // an option that is no variable
		}
	}
	return vars
}

func newLogger(level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("%q is not a log level", level)
	}
	options := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(os.Stderr, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(os.Stderr, options)), nil
	}
	return nil, fmt.Errorf("%q is not a log format (text, json)", format)
}

// loopbackOnly reports whether none of the addresses can be reached from elsewhere.
func loopbackOnly(bind []string) bool {
	for _, a := range bind {
		if a == "localhost" {
			continue
		}
		ip := net.ParseIP(a)
		if ip == nil || !ip.IsLoopback() {
			return false
		}
	}
	return true
}
