//go:build !linux

package btree

import "os"

func writeOut(*os.File, int64, int64) error { return nil }
