/* SPDX-License-Identifier: Apache-2.0 */
/* Options as tables: a subcommand describes each option once. The parser of the command line, the
 * help, the manual, the completions of shells, the keys of configuration files and the variables of
 * the environment are all made from that. */
#ifndef SCALENE_CLI_OPTIONS_H
#define SCALENE_CLI_OPTIONS_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
    OPTION_ON,            /* bool, becomes true */
    OPTION_OFF,           /* bool, becomes false */
    OPTION_CHOICE,        /* int, becomes `choice`; switched off, it becomes `otherwise` */
    OPTION_TEXT,          /* const char * */
    OPTION_NUMBER,        /* double within [low, high] */
    OPTION_PASSED,        /* a flag of python, kept for it */
    OPTION_PASSED_VALUE,  /* the same with a value */
    OPTION_IGNORED,       /* known from elsewhere, without a meaning here */
    OPTION_IGNORED_VALUE, /* the same with a value */
};

enum option_shown { SHOWN, SHOWN_ADVANCED, SHOWN_NEVER };

struct option {
    const char *name; /* of the long form; NULL: none */
    char letter;      /* of the short form; 0: none */
    enum option_kind kind;
    enum option_shown shown;
    size_t offset;     /* of the field in the subcommand's struct of values */
    const char *value; /* what the help calls the value; NULL: takes none */
    const char *help;
    const char *passed_as; /* OPTION_PASSED: the flag as python knows it */
    const char *later; /* accepted and checked, without an effect so far: what the user is told */
    bool is_typed;     /* for the command line alone: neither a key nor a variable */
    int choice, otherwise; /* OPTION_CHOICE */
    /* Another field; 0: none. OPTION_CHOICE: gets the same. OPTION_TEXT: gets what is_last denies.
     */
    size_t also;
    const char *excludes; /* the name of an option that cannot be given beside it; NULL: none */
    const char *alias;    /* another name that files may use for it; NULL: none */
    double low, high;
    const char *wants; /* OPTION_NUMBER: says the range in words */
    /* Whether, with this value, all that follows belongs to the program; NULL: never. */
    bool (*is_last)(const char *value);
};

struct option_part {
    const struct option *options;
    size_t n;
};

/* The options of a subcommand: its own and those it shares with others. */
#define OPTION_PARTS 2
struct option_table {
    const char *usage;                             /* after "scalene " */
    const char *about;                             /* one paragraph */
    const struct option_part *parts[OPTION_PARTS]; /* those that are not there are NULL */
    bool is_launcher; /* the first argument that is no option is a program and ends the options */
};

/* What a parsed command line leaves beside the values. The texts are borrowed from argv. */
struct parsed {
    vec_of(const char *) rest;   /* arguments that are no options; not NULL-ended */
    vec_of(const char *) passed; /* what python is to get, in order */
    vec_of(const struct option *) later;
    vec_of(const struct option *) seen; /* every option that was given */
};

/* The i-th option of a table; NULL after the last. */
const struct option *options_at(const struct option_table *table, size_t i);

/* `arguments` is NULL-ended and begins after the subcommand's name; `values` already holds the
 * defaults. False: e is one sentence. */
bool options_parse(const struct option_table *table, const char *const *arguments, void *values,
                   struct parsed *parsed, struct err *e);
void parsed_fini(struct parsed *parsed);

/* Sets an option by its name, as files and the environment do: '_' is as good as '-', and switches
 * have a value. `e` is a sentence without the place the value came from. */
enum option_set { OPTION_SET, OPTION_UNKNOWN, OPTION_WRONG };
enum option_set options_set(const struct option_table *table, const char *name, const char *value,
                            void *values, struct parsed *parsed, struct err *e);
/* The option of exactly this name (or letter, "-x"); NULL: there is none. */
const struct option *options_find(const struct option_table *table, const char *name);
#define NAME_NEAR_ENOUGH 4u /* edits: what is further away was not mistyped */
/* Whether a name may have been meant, and rather than the one that set *within before. */
bool name_is_nearer(const char *typed, const char *name, size_t *within);
/* The name most like a mistyped one; NULL: none is like it. `is_key`: among the keys of files. */
const char *options_nearest(const struct option_table *table, const char *name, bool is_key);
/* Whether files and the environment may set it. */
bool option_is_key(const struct option *option);

/* The help of a subcommand, at most 80 columns wide. */
void options_help(const struct option_table *table, bool is_advanced, FILE *out);

/* "--name" or "-x" of an option, for messages. */
const char *option_label(const struct option *option, char label[64]);

#endif
