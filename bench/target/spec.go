package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/profiles"
)

// Kind is a server software.
type Kind string

// The kinds of servers. Running is one that is not ours to start.
const (
	Duramen Kind = "duramen"
	MariaDB Kind = "mariadb"
	MySQL   Kind = "mysql"
	Running Kind = "running"
)

// AsIs is the profile of a Running server.
const AsIs = "as-is"

// Database is what is used on every server.
const Database = "duramen_bench"

// Spec is a server software to be measured.
type Spec struct {
	Name string `json:"name"` // of a contender, unique
	Kind Kind   `json:"kind"`
	Path string `json:"path,omitempty"` // of the program
	// DSN of a Running server. Its password is not kept in JSON.
	DSN string `json:"-"`
	// Engines that the tables of EngineSets are made with, in this order; there may be fewer.
	Engines []string `json:"engines,omitempty"`
}

var programs = map[Kind]string{Duramen: "duramen", MariaDB: "mariadbd", MySQL: "mysqld"}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// ParseSpec reads [NAME=]KIND[:PATH] or [NAME=]DSN. The path is that of the program: it is looked for on PATH
// if it is not given; of Duramen it is then self.
func ParseSpec(text, self string) (Spec, error) {
	var s Spec
	rest := text
	if name, after, ok := strings.Cut(text, "="); ok && goodName.MatchString(name) {
		s.Name, rest = name, after
	}
	if strings.Contains(rest, "@") || strings.Contains(rest, "tcp(") || strings.Contains(rest, "unix(") {
		s.Kind, s.DSN = Running, rest
		if s.Name == "" {
			s.Name = "running"
		}
		_, err := s.address()
		return s, err
	}
	kind, path, _ := strings.Cut(rest, ":")
	s.Kind = Kind(kind)
	program, ok := programs[s.Kind]
	if !ok {
		return s, fmt.Errorf("server %q: want [NAME=]KIND[:PATH] with kind duramen, mariadb or mysql, or [NAME=]USER:PASSWORD@tcp(HOST:PORT)/", text)
	}
	if s.Name == "" {
		s.Name = kind
	}
	if path == "" {
		path = program
		if s.Kind == Duramen && self != "" {
			path = self
		}
	}
	var err error
	if s.Path, err = lookup(path); err != nil {
		return s, fmt.Errorf("server %q: %w", text, err)
	}
	return s, nil
}

// lookup finds a program. Debian keeps servers in /usr/sbin, which is not on the PATH of most users.
func lookup(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err != nil && !strings.ContainsRune(path, filepath.Separator) {
		if there, err := exec.LookPath(filepath.Join("/usr/sbin", path)); err == nil {
			return there, nil
		}
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(found)
}

// Installed is Duramen (the program self), and MariaDB and MySQL if they are there.
func Installed(ctx context.Context, self string) []Spec {
	specs := []Spec{{Name: string(Duramen), Kind: Duramen, Path: self}}
	for _, kind := range []Kind{MariaDB, MySQL} {
		s, err := ParseSpec(string(kind), self)
		// MariaDB also installs itself as mysqld.
		if err != nil || kind == MySQL && strings.Contains(version(ctx, s.Path), "MariaDB") {
			continue
		}
		specs = append(specs, s)
	}
	return specs
}

// version is what the program says about itself, "" if it says nothing.
func version(ctx context.Context, path string) string {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Profiles are those of a Spec among wanted, in that order. Not every server has each.
func (s Spec) Profiles(wanted []string) []string {
	if s.Kind == Running {
		return []string{AsIs}
	}
	var have []string
	for _, p := range wanted {
		if _, err := profiles.Read(string(s.Kind), p); err == nil {
			have = append(have, p)
		}
	}
	return have
}

// address of a Running server.
func (s Spec) address() (load.Address, error) {
	c, err := mysql.ParseDSN(s.DSN)
	if err != nil {
		return load.Address{}, fmt.Errorf("server %s: %w", s.Name, err)
	}
	a := load.Address{User: c.User, Password: c.Passwd, Database: Database}
	switch c.Net {
	case "unix":
		a.Socket = c.Addr
	case "tcp":
		host, port, err := net.SplitHostPort(c.Addr)
		if err != nil {
			return a, fmt.Errorf("server %s: %w", s.Name, err)
		}
		a.Host = host
		if a.Port, err = strconv.Atoi(port); err != nil {
			return a, fmt.Errorf("server %s: %w", s.Name, err)
		}
	default:
		return a, fmt.Errorf("server %s: a DSN by %q; want tcp or unix", s.Name, c.Net)
	}
	if c.DBName != "" && c.DBName != Database {
		return a, fmt.Errorf("server %s: the DSN names database %q, but the benchmark makes its own, %s", s.Name, c.DBName, Database)
	}
	return a, nil
}

// Contender is a server with a profile.
type Contender struct {
	Spec
	Profile string `json:"profile"`
}

func (c Contender) String() string { return c.Name + "/" + c.Profile }

// CheckNames reports two specs of one name.
func CheckNames(specs []Spec) error {
	seen := map[string]bool{}
	for _, s := range specs {
		if !goodName.MatchString(s.Name) {
			return fmt.Errorf("server name %q: want letters, digits, and - _ . inside", s.Name)
		}
		if seen[s.Name] {
			return fmt.Errorf("two servers are called %q: give them names, as in old=%s:/path", s.Name, s.Kind)
		}
		seen[s.Name] = true
	}
	if len(specs) == 0 {
		return errors.New("no server to measure")
	}
	return nil
}

// exists tells whether there is such a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
