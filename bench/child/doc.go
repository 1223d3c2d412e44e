// Package child runs processes that do not outlive this one: each leads a
// process group of its own (so a Ctrl-C reaches only us, and a kill reaches what it
// has started itself), and on Linux the kernel kills it when this process ends in whatever way.
package child
