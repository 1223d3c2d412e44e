package enginetest

type storeBackend struct{ memoryBackend }

var slow = map[string]bool{}
