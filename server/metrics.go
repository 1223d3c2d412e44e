package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metricsServer is the HTTP server of metrics_address.
type metricsServer struct {
	http *http.Server
	addr net.Addr
	done chan struct{}
}

// startMetrics listens on cfg.MetricsAddress.
func startMetrics(cfg *Config, c prometheus.Collector) (*metricsServer, error) {
	l, err := net.Listen("tcp", cfg.MetricsAddress)
	if err != nil {
		return nil, &ExitError{Code: ExitListen, Err: fmt.Errorf("metrics_address: %w", err)}
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	if cfg.Pprof {
		handleProfiles(mux)
	}
	m := &metricsServer{
		http: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second},
		addr: l.Addr(), done: make(chan struct{}),
	}
	go func() {
		defer close(m.done)
		if err := m.http.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			cfg.Logger.Error("metrics server ended", "err", err)
		}
	}()
	return m, nil
}

func (m *metricsServer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := m.http.Shutdown(ctx); err != nil {
		_ = m.http.Close() // a scrape that takes too long is cut off
	}
	<-m.done
}
