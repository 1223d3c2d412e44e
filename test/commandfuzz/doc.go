// Package commandfuzz sends a server everything that the client protocol has, right and wrong, and looks
// whether it survives: broken handshakes, every command number, statements of a grammar and mutations of
// those in test/dialect/testdata. The test fails when the process ends, when a connection gets no answer
// for a minute although max_statement_time is two seconds, or when the server's log has a recovered panic,
// be it of our code or of go-mysql-server, whose panics cost their statement only: each of these is a bug. The
// failure names the statements of the connections that met it.
//
// What is sent depends on SEED alone. DURATION says how long (three seconds by default):
//
//	DURATION=30m SEED=7 go test -tags gms_pure_go -count=1 -timeout 1h ./test/commandfuzz
package commandfuzz
