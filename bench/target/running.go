package target

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

func (s *Server) connectToRunning(ctx context.Context) error {
	var err error
	if s.address, err = s.Contender.address(); err != nil {
		return err
	}
	cfg, err := mysql.ParseDSN(s.Contender.DSN)
	if err != nil {
		return err
	}
	cfg.DBName = ""
	if err := s.awaitReady(ctx, cfg); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "CREATE DATABASE "+Database); err != nil {
		s.closeConnections() // the database is not ours to drop
		return fmt.Errorf("create the database: %w", err)
	}
	s.findProcess(ctx)
	return nil
}

// findProcess finds the process of a Running server by its pid file, if it is on this machine.
func (s *Server) findProcess(ctx context.Context) {
	if ip := net.ParseIP(s.address.Host); s.address.Socket == "" && s.address.Host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return
	}
	var file, dataDir string
	if err := s.db.QueryRowContext(ctx, "SELECT @@pid_file, @@datadir").Scan(&file, &dataDir); err != nil {
		return
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dataDir, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && exists("/proc/"+strconv.Itoa(pid)) {
		s.pid, s.dataDir = pid, dataDir
	}
}
