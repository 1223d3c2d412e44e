// Package syncs counts, with strace, what a commit costs the disk: at one
// client and sync_binlog=1 there is one sync call (or one synchronous write) per
// commit, all on one file, and no call changes the size of that file.
package syncs
