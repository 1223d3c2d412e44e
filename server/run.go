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

	requested := make(chan bool, 1) // whether replicas are waited for
	var once sync.Once
	cfg.OnShutdown = func(waitForReplicas bool) { once.Do(func() { requested <- waitForReplicas }) }
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
	end := s.Shutdown
	patience, impatient := context.WithCancel(context.Background())
	defer impatient()
	waiting := false
	select {
	case sig := <-signals:
		cfg.Logger.Info("shutting down", "signal", sig.String())
	case <-ctx.Done():
		cfg.Logger.Info("shutting down", "reason", ctx.Err().Error())
	case waiting = <-requested:
		cfg.Logger.Info("shutting down", "reason", "SHUTDOWN statement", "wait_for_replicas", waiting)
	}
	if waiting {
		end = func(ctx context.Context) error { return s.ShutdownAfterReplicas(ctx, patience) }
	}
	go func() {
		if waiting {
			sig, ok := <-signals
			if !ok {
				return
			}
			cfg.Logger.Warn("not waiting for replicas any more", "signal", sig.String())
			impatient()
		}
		if sig, ok := <-signals; ok {
			cfg.Logger.Warn("second signal: ending at once; the next start will recover", "signal", sig.String())
			os.Exit(ExitFailure)
		}
	}()
	stop, cancel := context.WithTimeout(context.Background(), cfg.ShutdownTimeout)
	defer cancel()
	return end(stop)
}

// joinClose closes c and adds its error to err.
func joinClose(err error, c io.Closer) error { return errors.Join(err, c.Close()) }
