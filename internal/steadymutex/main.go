// Command steadymutex prints the name of a file for go's flag -overlay, with which sync.Mutex and the scheduler of goroutines never
// look at the clock.
//
// A goroutine that has waited for a mutex for more than a millisecond gets it ahead of those that run. Whether it
// has waited that long depends on the machine, and with it who goes first. The crash laboratory, whose runs are to repeat
// exactly, is therefore compiled with a mutex whose threshold is never reached. In the same way a goroutine that has run for ten
// milliseconds, or is in a system call for long, would have to give way to others: a machine that is busy with something else makes
// that happen anywhere. On one processor nobody has to.
//
//	go test -overlay $(go run ./internal/steadymutex) -run TestExact ./store/crashtest
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/duramendb/duramen/internal/steadymutex/overlay"
)

func main() {
	dir := filepath.Join(os.TempDir(), "duramen-steadymutex")
	path, err := overlay.Write(dir, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(path)
}
