/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each call of the libc that blocks: it blocks in it for a tenth of a second or
 * more and returns 0 if the call then did what it should. What ends the wait is the work of another
 * thread, a tenth of a second after it has seen the caller wait, however busy the machine is. */
#ifndef CALLS_H
#define CALLS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <resolv.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS 100000000

#pragma GCC visibility push(hidden) /* such names may stand elsewhere in the program, too */
extern pthread_t helper;
extern int ends[2]; /* of a pipe or a pair of sockets */
extern const struct timespec length;
extern char byte, full[1 << 16];
extern struct iovec vector; /* of the byte */

/* By a system call, so that only who is asked for waits. */
void nap(long ns);
void let_it_wait(void);
/* Once the caller waits, the helper does this. */
void later(void (*what)(void));
/* The helper's end takes a moment; who waits for it must not be seen to wait here. */
int done(int is_right);
struct timespec soon(clockid_t clock);
void put_byte(void);
void a_pipe(void);
void sockets(void);
#pragma GCC visibility pop

#endif
