# SPDX-License-Identifier: Apache-2.0
# The front door: meson builds, pytest tests; what is missing is installed first (script/setup).
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/scalene-dev
VENV = $(CACHE)/venv-$(shell cksum <script/requirements.txt | cut -d' ' -f1)
PYTEST = $(VENV)/bin/python -m pytest $(PYTEST_ARGS)
C_FILES = $(shell find src test -name '*.[ch]')
UNIT_TESTS = $(shell sed -n "s/^ *'\([a-z]*\)\/\([a-z_]*\)'[,:].*/test\/unit\/\1-\2/p" test/unit/meson.build)

.PHONY: all build page screenshots page-figures demo test interpreters accuracy waits memory soak fork-cost startup overhead \
        abreast toggle-cost thread-cost torture cpython-tests lint format asan tsan install wheel tarball packages \
        notebooks \
        clean setup setup-test
all: build

setup:
	@script/setup build
setup-test:
	@script/setup test

# Quiet when there is nothing to do: meson once, ninja always.
build: setup page
	@test -e build/build.ninja || meson setup build >/dev/null
	@ninja -C build --quiet

# The page that `scalene view` shows: one file, which the program contains.
page: setup
	@script/page

demo: build
	build/scalene run -o build/demo.json example/demo.py
	build/scalene view --cli build/demo.json

PREFIX ?= /usr/local
install: build
	@script/install '$(DESTDIR)$(abspath $(PREFIX))'

# For any Linux with glibc 2.17 or newer, whatever this one has.
WHEEL_VENV = $(CACHE)/wheel-$(shell cksum <script/wheel-requirements.txt | cut -d' ' -f1)
wheel: page
	@script/setup wheel
	@$(WHEEL_VENV)/bin/python script/backend.py dist
tarball: wheel
	@script/tarball dist
# What people install, on every interpreter, on an old Debian and from the source distribution.
packages: build interpreters wheel
	@script/old-debian true
	SCALENE_PACKAGES=all $(PYTEST) test/e2e/test_package.py

# The magics in JupyterLab, notebook 7 and the classic notebook, in a browser.
NOTEBOOKS_VENV = $(CACHE)/notebooks-$(shell cksum <script/notebooks-requirements.txt | cut -d' ' -f1)
notebooks: build
	@script/setup notebooks
	$(NOTEBOOKS_VENV)/bin/python test/notebooks/lab.py

interpreters: setup-test
	@script/interpreters --fetch

test: build interpreters asan tsan wheel
	$(PYTEST) -n 2 --dist worksteal test

# The pictures of the README; the figures of the page beside upstream's.
screenshots: build interpreters
	@node view/build/screenshots.mjs
page-figures: build setup-test
	@node bench/page.mjs $(ARGS)

lint: build setup-test
	$(PYTEST) test/test_lint.py

# The unit tests again, watched: addresses and undefined behaviour for all of them, races for wire/.
# gcc 12 warns of a null format that is none when it adds its checks; hence the one option.
asan: setup-test
	@test -e build-asan/build.ninja || meson setup build-asan -Db_sanitize=address,undefined \
	    -Db_lundef=false -Doptimization=1 -Dc_args=-Wno-format-truncation >/dev/null
	@ninja -C build-asan --quiet $(UNIT_TESTS)
tsan: setup-test
	@test -e build-tsan/build.ninja || meson setup build-tsan -Db_sanitize=thread \
	    -Db_lundef=false -Doptimization=1 >/dev/null
	@ninja -C build-tsan --quiet $(filter test/unit/wire-%,$(UNIT_TESTS))

accuracy: build interpreters
	$(VENV)/bin/python bench/accuracy.py $(ARGS)
overhead: build setup-test
	$(VENV)/bin/python bench/overhead.py $(ARGS)
# The same at once and on one CPU: what the machine does meanwhile it does to all of them.
abreast: build setup-test
	$(VENV)/bin/python bench/abreast.py $(ARGS)
# The same within one process, in turns: what is left when machines and processes differ by more.
toggle-cost: build setup-test
	$(VENV)/bin/python bench/toggle.py $(ARGS)
thread-cost: build setup-test
	$(VENV)/bin/python bench/threads.py $(ARGS)
# Waits, idle time and the GIL against the truth; then threads that stay blocked for ten seconds.
waits: build interpreters
	$(VENV)/bin/python bench/waits.py $(ARGS)
	SCALENE_BLOCKED_S=10 $(PYTEST) test/e2e/test_undisturbed.py -k interrupted
# Memory, peaks, copies and leaks against the truth.
memory: build interpreters
	$(VENV)/bin/python bench/memory.py $(ARGS)
# 100 GB that come and go: what the agent adds to the memory of the program.
soak: build interpreters
	$(VENV)/bin/python bench/soak.py $(ARGS)
# What a fork costs, in the program and in the collector.
fork-cost: build interpreters
	$(VENV)/bin/python bench/forks.py $(ARGS)
startup: build setup-test
	$(VENV)/bin/python bench/startup.py $(ARGS)

# The runs that end by a sudden death, a hundred of them instead of a few; 10,000 forks while threads
# allocate; measuring switched on and off 10,000 times while threads compute and allocate.
torture: build interpreters
	SCALENE_DEATHS=100 $(PYTEST) test/e2e/test_death.py
	SCALENE_FORKS=10000 $(PYTEST) test/e2e/test_memory_torture.py
	SCALENE_SWITCHES=10000 $(PYTEST) test/e2e/test_control.py -k toggled

# CPython's own tests, bare and under the highest sampling rate.
cpython-tests: build setup-test
	@script/interpreters --fetch-tests >/dev/null
	$(VENV)/bin/python bench/cpython_tests.py $(ARGS)

format: setup-test
	$(VENV)/bin/clang-format -i $(C_FILES)

clean:
	rm -rf build build-asan build-tsan build-wheel dist view/dist
