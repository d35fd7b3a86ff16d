PORT ?= 8000
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Two processes and persistent threads suit the two cores of an ordinary laptop. Without --reuse-port one of the two
# processes would take every connection.
GUNICORN := $(BIN)/gunicorn pinparty.wsgi --workers 2 --threads 4 --reuse-port --no-control-socket \
	--bind 0.0.0.0:$(PORT)

# Tablets and phones reach a laptop by whatever address the hall's network gave it today.
ALLOWED_HOSTS ?= *
export ALLOWED_HOSTS

.PHONY: help install install-dev demo run test check bench fmt port-free

help:
	@echo "make demo    a rehearsal show on http://localhost:$(PORT), in under two minutes"
	@echo "make run     the same without the rehearsal, for a show of your own"
	@echo "make test    everything that can be tested on this machine"
	@echo "make check   lint, types, import rules, migrations"
	@echo "make bench   reading and writing under load"
	@echo "make fmt     put the code into the house's form"

install: $(VENV)/installed
install-dev: $(VENV)/installed-dev

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "pinparty needs Python 3.11 or newer; say which one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment here. On Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/installed

# With --reuse-port a second server would start without a word and share the first one's visitors.
port-free:
	@$(PYTHON) -c 'import socket; socket.create_server(("", $(PORT)))' 2>/dev/null \
		|| { echo "Port $(PORT) is taken by another program; choose another one, such as: make $(MAKECMDGOALS) PORT=8001"; exit 1; }

demo: export DATABASE_URL := sqlite:///$(CURDIR)/var/demo.sqlite3
demo: port-free install
	@mkdir -p var
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py rehearse
	$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@$(BIN)/python manage.py demo_accounts --address http://localhost:$(PORT)
	@echo "Plain gunicorn is fine for trying out; for a real show put a buffering proxy such as nginx in front."
	@echo "Stop with Ctrl+C."
	@$(GUNICORN)

run: port-free install
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@echo "Serving on http://localhost:$(PORT). Stop with Ctrl+C."
	@echo "The first organiser is made in another window with:"
	@echo "    $(BIN)/python manage.py createsuperuser"
	@$(GUNICORN)

test: install-dev
	@.ci/test

check: install-dev
	@.ci/test check

bench: export DATABASE_URL := sqlite:///$(CURDIR)/var/bench.sqlite3
bench: install-dev
	@mkdir -p var
	@missed=0; \
	echo "On SQLite:"; $(BIN)/python tests/bench/run.py || missed=1; \
	if .ci/with-postgres --check; then \
		echo "On PostgreSQL:"; FSYNC=on .ci/with-postgres $(BIN)/python tests/bench/run.py || missed=1; \
	fi; \
	exit $$missed

fmt: install-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
