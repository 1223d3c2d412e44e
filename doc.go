// Package duramen runs a Duramen server inside a Go program: the same server
// as the duramen command, with its data directory, its log, and its listeners.
//
//	srv, err := duramen.Start(ctx, duramen.Options{Dir: "data"})
//	if err != nil { … }
//	defer srv.Close()
//	db, err := sql.Open("mysql", srv.DSN("root", ""))
//
// One process may run several servers, each on its own directory.
//
// Starting one changes nothing that belongs to the whole process: not the program's loggers, http.DefaultServeMux, signal
// handlers, memory limit, GOMAXPROCS or registry of metrics. What linking the package does is forced by libraries:
// go-mysql-server, which plans the statements, keeps its table of system variables, its list of aggregate
// functions and the logger of its parser in package variables (a program that uses go-mysql-server itself finds
// Duramen's variables there for sessions of a Duramen server, and its own for others); its parser imports expvar, which
// answers under /debug/vars of http.DefaultServeMux. go-mysql-server logs a few warnings through logrus's standard logger.
package duramen
