// Package memory attacks a server with statements that would take all memory, each of
// which MariaDB bounds, and looks at what the process took: every statement gets its
// bounded answer or an error, and the server answers afterwards.
package memory
