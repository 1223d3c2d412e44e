// Package usage reads what a process has used from /proc (proc(5)). Where there
// is no /proc, or the process belongs to somebody else, the numbers are not known.
package usage
