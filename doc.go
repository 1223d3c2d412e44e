// Package duramen runs a Duramen server inside a Go program: the same server
// as the duramen command, with its data directory, its log, and its listeners.
//
//	srv, err := duramen.Start(ctx, duramen.Options{Dir: "data"})
//	if err != nil { … }
//	defer srv.Close()
//	db, err := sql.Open("mysql", srv.DSN("root", ""))
//
// One process may run several servers, each on its own directory.
package duramen
