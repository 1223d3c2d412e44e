// Package report shows what package suite has measured: as tables for a terminal, as Markdown, and as one HTML page that
// needs nothing else.
package report
