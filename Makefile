# Everything a developer does. `make run` needs Go and nothing else.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:

MODULES  := libs apps tools e2e
PROGRAMS := relay console worker standalone
PATTERNS := $(addprefix ./,$(addsuffix /...,$(MODULES)))
GOFILES   = find $(MODULES) -name '*.go' -not -path '*/node_modules/*'
LINTER   := bin/golangci-lint
FUZZTIME ?= 10s
SEEDS    ?= 20000
SEED     ?=
ROWS     ?= 1000000

.PHONY: help run build test check format vet lint floors drift tidy locks fmt generate bench bench-logs chaos fuzz sim clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

run: ## Run everything in one process, with a demo to try
	@CGO_ENABLED=0 go build -o bin/standalone ./apps/standalone/cmd/standalone
	@exec bin/standalone

build: ## Build the programs into bin/
	@for program in $(PROGRAMS); do \
		CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/$$program ./apps/$$program/cmd/$$program; \
	done
	@ls -l bin

test: ## Run all tests; TEST_REQUIRE=all fails where one is left out
	@tools/test

check: format vet lint floors drift tidy locks ## Verify all that needs no test: style, floors, generated files, modules

format: ## Part of check: gofmt
	@unformatted=$$($(GOFILES) | xargs gofmt -l); \
	if [ -n "$$unformatted" ]; then printf 'not formatted, run make fmt:\n%s\n' "$$unformatted"; exit 1; fi
	@echo 'ok  format'

vet: ## Part of check: go vet
	@go vet work
	@echo 'ok  vet'

lint: $(LINTER) ## Part of check: golangci-lint
	@$(LINTER) run $(PATTERNS)
	@echo 'ok  lint'

floors: ## Part of check: the import rules of the house
	@cd tools && go test -count=1 ./floors

drift: ## Part of check: generated files are those that would be generated now
	@tools/drift

tidy: ## Part of check: go.mod and go.sum are tidy
	@for module in $(MODULES) tools/lint; do (cd $$module && GOWORK=off go mod tidy -diff); done
	@echo 'ok  tidy'

locks: ## Part of check: lock files name no registry
	@named=$$(find . \( -name node_modules -o -name .git \) -prune -o -type f \( -name package-lock.json -o -name .npmrc \) -print0 | \
		xargs -0r grep -lIE '"resolved": *"https?://|registry *=' || true); \
	if [ -n "$$named" ]; then printf 'a lock file names a registry host:\n%s\n' "$$named"; exit 1; fi
	@echo 'ok  locks'

fmt: ## Repair what can be repaired: formatting, modules
	@$(GOFILES) | xargs gofmt -w
	@for module in $(MODULES); do (cd $$module && GOWORK=off go mod tidy); done

generate: ## Write openapi/ and the Go clients made from it
	@tools/generate .

bench: ## Measure the relay beside a bare reverse proxy; BENCH='-short' is quicker
	@go build -o bin/bench ./tools/bench
	@exec bin/bench $(BENCH)

chaos: ## Break everything under load, then audit the books; CHAOS='-seed 7 -only relay-kill'
	@go build -o bin/chaos ./e2e/chaos/cmd/chaos
	@exec bin/chaos $(CHAOS)

bench-logs: ## Measure usage logs: reading, shipping, rollups; ROWS=10000000 for the full size
	@go build -o bin/logbench ./tools/logbench
	@exec bin/logbench -rows $(ROWS)

fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' $(MODULES) | while read -r file; do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/p' "$$file"); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
		done; \
	done

sim: ## Simulate the lease protocol for SEEDS (20000) histories; SEED=n runs one again
	@QUOTA_SIM_SEEDS=$(SEEDS) QUOTA_SIM_SEED=$(SEED) go test -count=1 -timeout 60m -v -run '^TestSimulation$$' ./libs/core/quota

clean: ## Remove what was built; data/ stays
	@rm -rf bin

$(LINTER): tools/lint/go.mod tools/lint/go.sum
	@echo 'building golangci-lint, once ...'
	@cd tools/lint && GOWORK=off go build -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
