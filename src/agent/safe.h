/* SPDX-License-Identifier: Apache-2.0 */
/* Included last by every file of the agent but boot.c: names what must not be called there, so that
 * the compiler refuses it (-Werror=deprecated-declarations). */
#ifndef SCALENE_AGENT_SAFE_H
#define SCALENE_AGENT_SAFE_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_IN_A_HANDLER __attribute__((deprecated("not in the agent: see agent/agent.h")))

extern void *malloc(size_t) NOT_IN_A_HANDLER;
extern void *calloc(size_t, size_t) NOT_IN_A_HANDLER;
extern void *realloc(void *, size_t) NOT_IN_A_HANDLER;
extern void free(void *) NOT_IN_A_HANDLER;
extern int printf(const char *, ...) NOT_IN_A_HANDLER;
extern int fprintf(FILE *, const char *, ...) NOT_IN_A_HANDLER;
extern int snprintf(char *, size_t, const char *, ...) NOT_IN_A_HANDLER;
extern int pthread_mutex_lock(pthread_mutex_t *) NOT_IN_A_HANDLER;
extern void *dlopen(const char *, int) NOT_IN_A_HANDLER;
extern char *getenv(const char *) NOT_IN_A_HANDLER;
extern void abort(void) NOT_IN_A_HANDLER;
extern void exit(int) NOT_IN_A_HANDLER;

#undef NOT_IN_A_HANDLER

#endif
