package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// install makes the data directory of a server that does not do so by itself.
func (s *Server) install(ctx context.Context) error {
	var cmd *exec.Cmd
	switch s.Contender.Kind {
	case MariaDB:
		script, prefix, err := installScript(s.Contender.Path)
		if err != nil {
			return err
		}
		cmd = exec.Command(script, "--no-defaults", "--datadir="+s.options.DataDir, "--auth-root-authentication-method=normal", "--skip-test-db")
		if prefix != "/usr" {
			cmd.Args = append(cmd.Args, "--basedir="+prefix)
		}
	case MySQL:
		cmd = exec.Command(s.Contender.Path, "--no-defaults", "--initialize-insecure", "--datadir="+s.options.DataDir)
	default:
		return nil
	}
	cmd.Env = append(os.Environ(), "TMPDIR="+s.options.Dir) // see writeOptions
	if os.Getuid() == 0 {
		cmd.Args = append(cmd.Args, "--user=root")
	}
	p, err := s.run(cmd)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	if err := p.Wait(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("make a data directory with %s: %w:\n%s", cmd.Path, err, s.logTail())
	}
	return nil
}

// installScript finds MariaDB's mariadb-install-db beside its server: in a package, a binary tarball, or a build.
func installScript(server string) (path, prefix string, err error) {
	prefix = filepath.Dir(filepath.Dir(server))
	for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
		for _, dir := range []string{"bin", "scripts"} {
			if p := filepath.Join(prefix, dir, name); exists(p) {
				return p, prefix, nil
			}
		}
	}
	return "", "", errors.New("there is no mariadb-install-db in bin or scripts of " + prefix)
}
