# Duramen. `make run` is all a newcomer needs; it takes only Go. `make help` lists the rest.

GO      ?= go
# go-mysql-server then takes its regular expressions from Go instead of ICU (cgo).
TAGS    := gms_pure_go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X github.com/duramendb/duramen/server.build=$(VERSION)
DATADIR ?= data
PORT    ?= 3306
FUZZTIME ?= 20s

.PHONY: all build run clean help

all: build

# A line with two hash signs after a target is its line in `make help`.
help: ## what there is to make
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do printf '%-18s %s\n' "$$name" "$$what"; done

build: ## bin/duramen
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -ldflags '$(LDFLAGS)' -o bin/duramen ./cmd/duramen

run: build ## build, and serve DATADIR (data) on PORT (3306)
	./bin/duramen serve --datadir=$(DATADIR) --port=$(PORT)

clean: ## remove bin
	rm -rf bin

# test, lint, bench, fuzz, crash and their helpers.
-include test/targets.mk
