# Everything that a developer runs. `make run` needs only Go.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:

MODULES  := libs apps tools e2e openapi/clients/go
# Modules that are not in go.work, so that their dependencies do not change the product's versions.
APART    := tools/specs deploy/helm
PROGRAMS := relay console worker standalone
PATTERNS := $(addprefix ./,$(addsuffix /...,$(MODULES)))
GOFILES   = find libs apps tools e2e openapi deploy -name '*.go' -not -path '*/node_modules/*'
LINTER   := bin/golangci-lint
FUZZTIME ?= 10s
SEEDS    ?= 20000
SEED     ?=
ROWS     ?= 1000000
MONTHS   ?= 12

# The console's pages are built if npm is installed. Without them the programs still build, and the console shows what
# is missing.
WEB      := apps/console/web
BROWSER  := e2e/browser
CLIENT   := openapi/clients/typescript
SPECTRAL := tools/spectral
UI       := $(if $(shell command -v npm),ui,no-ui)

.PHONY: help run build ui test test-e2e test-all check format shellcheck lint layers floors drift tidy locks words documents specs breaking pages fmt generate spec-release bench profile allocations bench-logs bench-scale bench-stages chaos fuzz sim screenshots images image-context release-check release release-images provenance vulns audit up down bake-test cluster-test clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

run: $(UI) ## Run everything in one process, with demo data
	@echo 'compiling bin/standalone and bin/console: 2 to 5 minutes the first time, seconds later ...'
	@while sleep 20 >/dev/null 2>&1; do echo "still compiling after $$SECONDS s ..."; done & clock=$$!; trap 'kill $$clock' EXIT; \
		CGO_ENABLED=0 go build -o bin/ ./apps/standalone/cmd/standalone ./apps/console/cmd/console
	@exec bin/standalone

build: $(UI) ## Build the programs into bin/
	@version=$$(tools/version); for program in $(PROGRAMS); do \
		CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X github.com/tollgate/tollgate/libs/service.stamped=$$version" -o bin/$$program ./apps/$$program/cmd/$$program; \
	done
	@ls -l bin

ui: $(WEB)/dist/index.html ## Build the console's pages, which the programs embed

# Takes the place of ui if npm is not installed.
.PHONY: no-ui
no-ui:
	@echo 'LEFT OUT: the pages of the console: npm is not installed'

$(WEB)/dist/index.html: $(WEB)/node_modules openapi/relay.yaml $(wildcard $(WEB)/*.* $(WEB)/public/*) $(shell find $(WEB)/src $(CLIENT)/src -type f 2>/dev/null)
	@echo "building the console's pages with vite: up to a minute, only after changes ..."
	@cd $(WEB) && npm run --silent build -- --logLevel warn
	@echo 'ok  pages built'

$(WEB)/node_modules $(BROWSER)/node_modules $(CLIENT)/node_modules $(SPECTRAL)/node_modules: %/node_modules: %/package-lock.json
	@echo 'installing the packages of $* with npm ci: up to a minute, only after changes ...'
	@cd $* && npm ci --silent
	@touch $@

test: ## Run the tests that need only Go
	@tools/test

test-e2e: $(UI) ## Run the tests of what Tollgate promises: images, official SDKs, a browser, data races
	@tools/test e2e

test-all: $(UI) ## Run all tests with the race detector; fails if a test is skipped
	@tools/test all

check: format shellcheck lint words layers allocations drift tidy locks specs breaking pages ## Check everything but the tests: style, import rules, generated files, modules

format: ## Part of check: gofmt
	@unformatted=$$($(GOFILES) | xargs gofmt -l); \
	if [ -n "$$unformatted" ]; then printf 'not formatted, run make fmt:\n%s\n' "$$unformatted"; exit 1; fi
	@echo 'ok  format'

shellcheck: ## Part of check: shell scripts, if shellcheck is installed; CI requires it
	@if command -v shellcheck >/dev/null; then \
		git ls-files -z | xargs -0 awk 'FNR == 1 && /^#!.*sh$$/ { print FILENAME } { nextfile }' | xargs shellcheck; \
		echo 'ok  shellcheck'; \
	elif [ -n "$${CI:-}" ]; then echo 'FAIL: shellcheck is not installed'; exit 1; \
	else echo 'LEFT OUT: shell scripts: shellcheck is not installed'; fi

lint: $(LINTER) ## Part of check: golangci-lint, go vet among its linters
	@$(LINTER) run --allow-parallel-runners $(PATTERNS)
	@for module in $(APART); do (cd $$module && GOWORK=off ../../$(LINTER) run --allow-parallel-runners ./...); done
	@echo 'ok  lint'

layers: ## Part of check: the import rules between packages
	@cd tools && go test -count=1 ./layers

floors: layers ## The former name of layers

allocations: ## Part of check: what a call allocates is within e2e/bench/testdata/allocations.txt
	@CGO_ENABLED=0 go test -count=1 -run '^TestCall_AllocatesWithinItsBounds$$' ./e2e/bench

drift: $(CLIENT)/node_modules ## Part of check: generated files are up to date
	@tools/drift

tidy: ## Part of check: go.mod and go.sum are tidy
	@for module in $(MODULES) $(APART) tools/audit tools/lint tools/promtool; do (cd $$module && GOWORK=off go mod tidy -diff); done
	@echo 'ok  tidy'

locks: ## Part of check: lock files name no registry host
	@named=$$(find . \( -name node_modules -o -name .git -o -path ./example \) -prune -o -type f \( -name package-lock.json -o -name .npmrc \) -print0 | \
		xargs -0r grep -lIE '"resolved": *"https?://|registry *=' || true); \
	if [ -n "$$named" ]; then printf 'a lock file names a registry host:\n%s\n' "$$named"; exit 1; fi
	@echo 'ok  locks'

words: ## Part of check: no private or archaic English; WORDS='docs apps/relay' for some folders
	@go run ./tools/words $(WORDS)
	@echo 'ok  words'

documents: ## Write the OpenAPI documents in 3.0.3 to bin/openapi
	@mkdir -p bin/openapi
	@for app in relay console; do go run ./apps/$$app/cmd/$$app openapi --spec 3.0 >bin/openapi/$$app.yaml || exit 1; done

specs: documents $(SPECTRAL)/node_modules ## Part of check: the OpenAPI documents pass their linter
	@$(SPECTRAL)/node_modules/.bin/spectral lint --quiet --fail-severity=hint -r $(SPECTRAL)/ruleset.yaml openapi/*.yaml bin/openapi/*.yaml
	@echo 'ok  specs'

breaking: documents ## Part of check: OpenAPI changes that break clients are acknowledged
	@cd tools/specs && GOWORK=off go run . -root ../.. check

pages: $(WEB)/node_modules $(BROWSER)/node_modules $(CLIENT)/node_modules ## Part of check: format, types, lint and unit tests of the console's pages and the TypeScript client
	@cd $(WEB) && npm run --silent check && npm run --silent test
	@cd $(BROWSER) && node_modules/.bin/tsc -p .
	@cd $(CLIENT) && npm run --silent test:unit
	@echo 'ok  pages'

fmt: $(WEB)/node_modules ## Fix formatting and go.mod files
	@$(GOFILES) | xargs gofmt -w
	@cd $(WEB) && npm run --silent format
	@for module in $(MODULES) $(APART); do (cd $$module && GOWORK=off go mod tidy); done

generate: $(CLIENT)/node_modules ## Write the OpenAPI documents and the clients
	@tools/generate .

spec-release: documents ## Make the current OpenAPI documents those of the last release, which later changes must not break
	@cd tools/specs && GOWORK=off go run . -root ../.. release

bench: ## Compare the relay with a bare reverse proxy and nginx, and with its goals; BENCH='-short' is quicker
	@go build -o bin/bench ./e2e/bench
	@exec bin/bench $(BENCH)

profile: ## Write a CPU profile of the relay under a mix of calls to bin/relay.pprof
	@go build -o bin/bench ./e2e/bench
	@bin/bench -profile bin/relay.pprof
	@go tool pprof -top -nodecount 20 bin/relay.pprof

chaos: ## Cause failures under load, then audit what was billed; CHAOS='-seed 7 -only relay-kill'
	@go build -o bin/chaos ./e2e/chaos/cmd/chaos
	@exec bin/chaos $(CHAOS)

bench-logs: ## Measure usage logs: reading, recording, retention, upgrades; ROWS=100000000 MONTHS=36 for the full size
	@go build -o bin/pastlogs ./e2e/pastlogs
	@exec bin/pastlogs bench -rows $(ROWS) -months $(MONTHS)

bench-stages: ## Measure each stage of a call and write the table of docs/performance.md
	@go run ./tools/stages

bench-scale: ## Measure what calls and relays cost in Postgres, Redis and the worker; SCALE='-short' only tries it
	@go build -o bin/scalebench ./e2e/scalebench
	@exec bin/scalebench $(SCALE)

fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' $(MODULES) | while read -r file; do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/p' "$$file"); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
		done; \
	done

sim: ## Simulate the lease protocol with SEEDS (20000) random histories; SEED=n repeats one
	@QUOTA_SIM_SEEDS=$(SEEDS) QUOTA_SIM_SEED=$(SEED) go test -count=1 -timeout 60m -v -run '^TestSimulation$$' ./libs/core/quota

screenshots: build $(BROWSER)/node_modules ## Write screenshots of all pages to bin/screenshots, and the README's to docs/images
	@go build -o bin/pastlogs ./e2e/pastlogs
	@cd $(BROWSER) && node_modules/.bin/playwright test --config screenshots.config.ts

images: $(UI) ## Build the images tollgate/relay, console, worker and standalone, with the tag TAG (devel)
	@tools/images

image-context: $(UI) ## Build the content of the images into bin/images, for example ARCHS='amd64 arm64'
	@tools/images context

release-check: ## Verify that TAG is the tag of the release that VERSION names
	@tools/dist check

release: $(UI) $(CLIENT)/node_modules ## Write the files that a release publishes into dist/
	@tools/dist files

release-images: $(UI) ## Build the images of a release for amd64 and arm64; REGISTRY=ghcr.io/ pushes them
	@tools/dist images

provenance: ## Write dist/provenance.intoto.json: from which commit, and how, the files of make release were made
	@tools/dist provenance

vulns: ## Search for known vulnerabilities of Go dependencies; asks vuln.go.dev
	@GOWORK=off go -C tools/audit build -o ../../bin/govulncheck golang.org/x/vuln/cmd/govulncheck
	@for module in $(MODULES); do (cd $$module && $(CURDIR)/bin/govulncheck ./...); done

audit: ## Search for known vulnerabilities of Go and npm dependencies and images; says what it could not check; IMAGES='tollgate/relay:devel'
	@GOWORK=off go -C tools/audit build -o ../../bin/govulncheck golang.org/x/vuln/cmd/govulncheck
	@tools/scan $(or $(IMAGES),$(foreach program,$(PROGRAMS),tollgate/$(program):$(or $(TAG),devel)))

up: images ## Start deploy/compose.yaml, with new secrets in deploy/.env
	@tools/secrets $${ENV_FILE:-deploy/.env}
	@tools/compose up -d

down: ## Stop the containers of make up; volumes are kept
	@tools/compose down

bake-test: $(UI) ## Test the command of docs/deployment.md that builds for several architectures, as root
	@trap 'tools/offline/builder down' EXIT; environment=$$(tools/offline/builder up); eval "$$environment"; \
		go test -tags builder -count=1 -v -timeout 30m -run '^TestBakeFile_CommandsOfDeploymentPage$$' ./e2e/shipped

cluster-test: $(UI) ## Test the commands of docs/kubernetes.md on a new cluster, as root
	@trap 'tools/offline/cluster down' EXIT; environment=$$(tools/offline/cluster up); eval "$$environment"; \
		go test -tags cluster -count=1 -v -timeout 30m -run '^TestKubernetes_CommandsOfThePage$$' ./e2e/shipped

clean: ## Remove bin/ and dist/; data/ is kept
	@rm -rf bin dist

# Without the discovery of targets at cloud providers, which is most of the code of promtool.
bin/promtool: tools/promtool/go.mod tools/promtool/go.sum
	@echo 'building promtool (once) ...'
	@cd tools/promtool && GOWORK=off CGO_ENABLED=0 go build -tags remove_all_sd -o ../../$@ github.com/prometheus/prometheus/cmd/promtool

$(LINTER): tools/lint/go.mod tools/lint/go.sum
	@echo 'building golangci-lint (once) ...'
	@cd tools/lint && GOWORK=off go build -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
