//go:build !linux

package binlog

import "os"

func openDirect(string) (*os.File, error) { return nil, errNoDirect }
