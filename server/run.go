package server

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/duramendb/duramen/query/gms"
)

// Run is the whole life of a server process: start, wait for SIGTERM or
// SIGINT (or the end of ctx), shut down. A second signal ends the process at
// once, as a crash would.
func Run(ctx context.Context, cfg Config) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)

	requested := make(chan struct{})
	var once sync.Once
	cfg.OnShutdown = func() { once.Do(func() { close(requested) }) }
	gms.QuietLibraries()
	tuneMemory(cfg.Logger)
	s, err := Start(ctx, cfg)
	if err != nil {
		return err
	}
	running, ended := context.WithCancel(ctx)
	defer ended()
	go tuneGC(running)
	defer tuneProcs()()
	select {
	case sig := <-signals:
		cfg.Logger.Info("shutting down", "signal", sig.String())
	case <-ctx.Done():
		cfg.Logger.Info("shutting down", "reason", ctx.Err().Error())
	case <-requested:
		cfg.Logger.Info("shutting down", "reason", "SHUTDOWN statement")
	}
	go func() {
		if sig, ok := <-signals; ok {
			cfg.Logger.Warn("second signal: ending at once; the next start will recover", "signal", sig.String())
			os.Exit(ExitFailure)
		}
	}()
	stop, cancel := context.WithTimeout(context.Background(), cfg.ShutdownTimeout)
	defer cancel()
	return s.Shutdown(stop)
}

// joinClose closes c and adds its error to err.
func joinClose(err error, c io.Closer) error { return errors.Join(err, c.Close()) }
