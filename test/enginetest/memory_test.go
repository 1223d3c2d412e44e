package enginetest

import (
	suite "github.com/dolthub/go-mysql-server/enginetest"
)

// memoryBackend is go-mysql-server's own storage, which ours is measured by.
type memoryBackend struct{}

var _ backend = memoryBackend{}

func (memoryBackend) harness() harness { return suite.NewMemoryHarness("default", 1, nil) }

func (memoryBackend) readOnly() harness { return suite.NewReadOnlyMemoryHarness() }
