package clone

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Source says how to reach the server that is cloned. Its zero value is user root on 127.0.0.1:3306, without a password, with TLS if it is offered.
type Source struct {
	Host     string // "" for 127.0.0.1
	Port     int    // 0 for 3306
	Socket   string // path of a unix socket; wins over Host and Port
	User     string // "" for root
	Password string

	// RequireTLS fails if the source offers no TLS; CA and Verify imply it.
	RequireTLS bool
	CA         string // PEM file of the authorities that the source's certificate is checked by
	Cert, Key  string // PEM files of our own certificate, "" for none
	Verify     bool   // the certificate has to name Host, too
}

// Options say what is cloned, and where to. Source and Dir are required, as is ServerID unless NoFollow is set.
type Options struct {
	Source Source
	// Dir is the new data directory. It may exist if it is empty.
	Dir string
	// ServerID is the id of the new server, another than the source's. It is written into Dir's my.cnf.
	ServerID uint32
	// ServerArgs are further options of the new server, as on the command line of duramen serve: --name=value. They are written into Dir's my.cnf, too.
	ServerArgs []string
	// Method is how the data comes; MethodAuto if it is "".
	Method Method
	// Threads is how many tables, or parts of tables, are copied at once; 4 if it is 0.
	Threads int
	// PartBytes is how many bytes of a table, as the source estimates them, are copied as one part, if its primary key begins with an integer;
	// 32 MiB if it is 0.
	PartBytes int64
	// Lock keeps everybody from writing on the source until all rows are copied.
	Lock bool
	// WithoutAccounts leaves out users, roles and grants.
	WithoutAccounts bool
	// SkipErrors are the problems that do not make the clone fail: "all", a kind ("event"), or a kind and a name ("view:shop.cheap").
	SkipErrors []string
	// Verify compares the number of rows and a checksum of each table. Of files it compares all rows with their index entries instead: the files' own
	// checksums are compared in any case.
	Verify bool
	// NoFollow leaves the new server without a primary.
	NoFollow bool
	// ReplicationUser and ReplicationPassword are those that the new server logs in with; the Source's if the user is "".
	ReplicationUser, ReplicationPassword string
	// Progress gets a line every ProgressInterval (5 s if it is 0, none if it is negative), and what was skipped. nil for nothing.
	Progress         io.Writer
	ProgressInterval time.Duration
	// Logger is the new server's; slog.Default if nil.
	Logger *slog.Logger
}

// Method is how the data comes from the source.
type Method string

// The methods.
const (
	// MethodAuto is MethodFiles where that can be done, else MethodSQL.
	MethodAuto Method = "auto"
	// MethodFiles copies the files of a Duramen's data directory. What cannot be done so fails.
	MethodFiles Method = "files"
	// MethodSQL reads definitions and rows by statements.
	MethodSQL Method = "sql"
)

const (
	defaultThreads          = 4
	defaultProgressInterval = 5 * time.Second
	defaultPort             = 3306
	defaultPartBytes        = 32 << 20
)

// EnsureDefaults fills in what was left zero.
func (o *Options) EnsureDefaults() {
	o.Method = cmp.Or(o.Method, MethodAuto)
	o.Threads = cmp.Or(o.Threads, defaultThreads)
	o.PartBytes = cmp.Or(o.PartBytes, defaultPartBytes)
	o.ProgressInterval = cmp.Or(o.ProgressInterval, defaultProgressInterval)
	o.Source.Host = cmp.Or(o.Source.Host, "127.0.0.1")
	o.Source.Port = cmp.Or(o.Source.Port, defaultPort)
	o.Source.User = cmp.Or(o.Source.User, "root")
	if o.ReplicationUser == "" {
		o.ReplicationUser, o.ReplicationPassword = o.Source.User, o.Source.Password
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

// Validate says what is wrong with o, with options named as on the command line.
func (o *Options) Validate() error {
	switch {
	case o.Dir == "":
		return errors.New("--datadir is not set")
	case o.Method != MethodAuto && o.Method != MethodFiles && o.Method != MethodSQL:
		return fmt.Errorf("--method=%s is none of auto, files, sql", o.Method)
	case o.Threads < 0 || o.Threads > 256:
		return fmt.Errorf("--threads=%d is not between 1 and 256", o.Threads)
	case o.PartBytes < 0:
		return fmt.Errorf("--part-size=%d is negative", o.PartBytes)
	case o.Source.Port < 0 || o.Source.Port > 65535:
		return fmt.Errorf("--port=%d is no TCP port", o.Source.Port)
	case !o.NoFollow && o.ServerID == 0:
		return errors.New("--server-id is not set: a replica needs an id of its own, and --no-follow makes none")
	case !o.NoFollow && o.Source.Socket != "":
		return errors.New("a replica cannot follow through a unix socket: give a host, or --no-follow")
	case (o.Source.Cert == "") != (o.Source.Key == ""):
		return errors.New("--ssl-cert and --ssl-key belong together")
	}
	return checkSkips(o.SkipErrors)
}

// config is the driver's configuration for connections to the source.
func (s *Source) config() (*mysql.Config, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd = s.User, s.Password
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	cfg.AllowNativePasswords = true
	cfg.MaxAllowedPacket = 1 << 30
	cfg.Timeout = 10 * time.Second
	if s.Socket != "" {
		cfg.Net, cfg.Addr = "unix", s.Socket
		return cfg, nil // TLS would protect nothing
	}
	t := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.Cert != "" {
		pair, err := tls.LoadX509KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, fmt.Errorf("--ssl-cert: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, fmt.Errorf("--ssl-ca: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ssl-ca: %s holds no certificate", s.CA)
		}
	}
	if !s.Verify {
		// The certificates that servers make for themselves name no host. With a CA the chain is checked all the same.
		t.InsecureSkipVerify = true
		if s.CA != "" {
			t.VerifyConnection = verifyChain(t.RootCAs)
		}
	}
	cfg.TLS = t
	cfg.AllowFallbackToPlaintext = !s.RequireTLS && !s.Verify && s.CA == ""
	return cfg, nil
}

// verifyChain checks that one of roots vouches for the server's certificate, whatever host that names.
func verifyChain(roots *x509.CertPool) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the source has no certificate")
		}
		between := x509.NewCertPool()
		for _, c := range state.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
		return err
	}
}
