include config.mk

CC ?= gcc
CFLAGS := -O2 -Wall
CFLAGS += -g
export PREFIX = /usr/local

# Builds everything.
.PHONY: all
all: bin/shop docs

bin/%: src/%.c | bin
	$(CC) $(CFLAGS) -o $@ $<
	X=1 ./run

ifdef DEBUG
  LEVEL = debug
endif

define greet
	echo hello $(1)
endef

install::
	install bin/shop $(PREFIX)
