/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a file. */
#include "calls.h"

/* ---- files ---- */

char byte;
struct iovec vector = {&byte, 1};

int call_read(void)
{
    a_pipe();
    return done(read(ends[0], &byte, 1) == 1 && byte == 'x');
}
int call_readv(void)
{
    a_pipe();
    return done(readv(ends[0], &vector, 1) == 1);
}
int call_preadv2(void)
{
    a_pipe();
    return done(preadv2(ends[0], &vector, 1, -1, 0) == 1);
}
int call_splice(void)
{
    int other[2];
    a_pipe();
    return pipe(other) == 0 ? done(splice(ends[0], NULL, other[1], NULL, 1, 0) == 1) : 1;
}
int call_tee(void)
{
    int other[2];
    a_pipe();
    return pipe(other) == 0 ? done(tee(ends[0], other[1], 1, 0) == 1) : 1;
}

char full[1 << 16];

static void take_all(void)
{
    if (syscall(SYS_read, ends[0], full, sizeof full) <= 0)
        abort();
}

/* The pipe has no room until the helper has read. */
static void a_full_pipe(void)
{
    if (pipe(ends) != 0 || syscall(SYS_write, ends[1], full, sizeof full) != sizeof full)
        abort();
    later(take_all);
}
int call_write(void)
{
    a_full_pipe();
    return done(write(ends[1], "x", 1) == 1);
}
int call_writev(void)
{
    a_full_pipe();
    return done(writev(ends[1], &vector, 1) == 1);
}
int call_vmsplice(void)
{
    a_full_pipe();
    return done(vmsplice(ends[1], &vector, 1, 0) == 1);
}
int call_sendfile(void)
{
    int in = open("/bin/sh", O_RDONLY);
    a_full_pipe();
    return done(sendfile(ends[1], in, NULL, 4096) == 4096);
}

/* Two openings of one file; the other's lock is given back by the helper. */
static int files[2];

static void two_files(void)
{
    char path[] = "/tmp/scalene-calls-XXXXXX";
    files[0] = mkstemp(path);
    files[1] = open(path, O_RDWR);
    unlink(path);
}
static void set_lock(int fd, int command, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    if (syscall(SYS_fcntl, fd, command, &lock) != 0)
        abort();
}
static void unlock_other(void)
{
    set_lock(files[1], F_OFD_SETLK, F_UNLCK);
}
static void another_has_the_lock(void)
{
    two_files();
    set_lock(files[1], F_OFD_SETLK, F_WRLCK);
    later(unlock_other);
}
static int lock_by_fcntl(int command)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    another_has_the_lock();
    return done(fcntl(files[0], command, &lock) == 0);
}
int call_fcntl(void)
{
    return lock_by_fcntl(F_SETLKW);
}
int call_fcntl_ofd(void)
{
    return lock_by_fcntl(F_OFD_SETLKW);
}
int call_lockf(void)
{
    another_has_the_lock();
    return done(lockf(files[0], F_LOCK, 1) == 0);
}
static void unflock_other(void)
{
    syscall(SYS_flock, files[1], LOCK_UN);
}
int call_flock(void)
{
    two_files();
    syscall(SYS_flock, files[1], LOCK_EX);
    later(unflock_other);
    return done(flock(files[0], LOCK_EX) == 0);
}

static char fifo[] = "/tmp/scalene-fifo-XXXXXX";

static void open_other_end(void)
{
    syscall(SYS_openat, AT_FDCWD, fifo, O_WRONLY, 0);
}
static void a_fifo(void)
{
    strcpy(fifo + sizeof fifo - 7, "XXXXXX");
    close(mkstemp(fifo));
    unlink(fifo);
    if (mkfifo(fifo, 0600) != 0)
        abort();
    later(open_other_end);
}
int call_open(void)
{
    a_fifo();
    int fd = open(fifo, O_RDONLY);
    unlink(fifo);
    return done(fd >= 0);
}
int call_openat(void)
{
    a_fifo();
    int fd = openat(AT_FDCWD, fifo, O_RDONLY | O_CREAT, 0600);
    unlink(fifo);
    return done(fd >= 0);
}

static void put_line(void)
{
    if (syscall(SYS_write, ends[1], "abc\n", 4) != 4)
        abort();
}
static FILE *a_stream(void)
{
    if (pipe(ends) != 0)
        abort();
    later(put_line);
    return fdopen(ends[0], "r");
}
int call_fgets(void)
{
    char line[8];
    return done(fgets(line, sizeof line, a_stream()) && strcmp(line, "abc\n") == 0);
}
int call_fread(void)
{
    char line[4];
    return done(fread(line, 1, 4, a_stream()) == 4 && line[0] == 'a');
}
int call_fwrite(void)
{
    a_full_pipe();
    FILE *stream = fdopen(ends[1], "w");
    setvbuf(stream, NULL, _IONBF, 0);
    return done(fwrite("x", 1, 1, stream) == 1);
}
