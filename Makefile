# Duramen. `make run` is all a newcomer needs; it takes only Go.

GO      ?= go
# go-mysql-server then takes its regular expressions from Go instead of ICU (cgo).
TAGS    := gms_pure_go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X github.com/duramendb/duramen/server.build=$(VERSION)
DATADIR ?= data
PORT    ?= 3306
FUZZTIME ?= 20s

.PHONY: all build run clean

all: build

build:
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -ldflags '$(LDFLAGS)' -o bin/duramen ./cmd/duramen

run: build
	./bin/duramen serve --datadir=$(DATADIR) --port=$(PORT)

clean:
	rm -rf bin

# test, lint, bench, fuzz, crash and their helpers.
-include test/targets.mk
