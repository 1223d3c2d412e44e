package server

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// profilesPath is where net/http/pprof has them, too. That package is not used: it puts its handlers into
// http.DefaultServeMux when it is linked, and so would give the profiles of a program that embeds a server to whoever
// reaches that program's own HTTP server.
const profilesPath = "/debug/pprof/"

// Lengths of recordings, as go tool pprof and go tool trace expect them.
const (
	profileTime = 30 * time.Second
	traceTime   = time.Second
)

// handleProfiles adds Go's profiles to mux.
func handleProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET "+profilesPath+"{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprintln(w, "profile?seconds=30\ntrace?seconds=1")
		for _, p := range pprof.Profiles() {
			_, _ = fmt.Fprintf(w, "%s?debug=1\t%d\n", p.Name(), p.Count())
		}
	})
	mux.HandleFunc("GET "+profilesPath+"profile", func(w http.ResponseWriter, r *http.Request) {
		record(w, r, profileTime, func() error { return pprof.StartCPUProfile(w) }, pprof.StopCPUProfile)
	})
	mux.HandleFunc("GET "+profilesPath+"trace", func(w http.ResponseWriter, r *http.Request) {
		record(w, r, traceTime, func() error { return trace.Start(w) }, trace.Stop)
	})
	mux.HandleFunc("GET "+profilesPath+"{name}", func(w http.ResponseWriter, r *http.Request) {
		p := pprof.Lookup(r.PathValue("name"))
		if p == nil {
			http.NotFound(w, r)
			return
		}
		debug, err := number(r, "debug", 0)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		if debug != 0 {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		_ = p.WriteTo(w, debug) // an error is the client's end
	})
}

// record writes a recording of as many seconds as the request says, or until the client goes.
func record(w http.ResponseWriter, r *http.Request, length time.Duration, start func() error, stop func()) {
	seconds, err := number(r, "seconds", int(length/time.Second))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := start(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError) // another recording is under way
		return
	}
	defer stop()
	select {
	case <-r.Context().Done():
	case <-time.After(time.Duration(seconds) * time.Second):
	}
}

// number is a parameter of a request.
func number(r *http.Request, name string, otherwise int) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%q is no number", name, text)
	}
	return n, nil
}
