/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each call of the libc that blocks: it blocks in it for a tenth of a second or
 * more and returns 0 if the call then did what it should. What ends the wait is the work of another
 * thread, a tenth of a second after it has seen the caller wait, however busy the machine is. */
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

/* ---- what ends the wait ---- */

static pthread_t helper;
static void (*deed)(void);
static int ends[2]; /* of a pipe or a pair of sockets */

/* By system calls, so that only who is asked for waits. */
static void nap(long ns)
{
    struct timespec time = {.tv_nsec = ns};
    syscall(SYS_nanosleep, &time, NULL);
}

/* What the caller is blocked in, by the kernel's account; "running": in nothing. */
static void look(char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", getpid());
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    long n = syscall(SYS_read, fd, text, room - 1);
    text[n < 0 ? 0 : n] = 0;
    syscall(SYS_close, fd);
}

/* In the same call for a while. */
static void let_it_wait(void)
{
    char before[256] = "running", now[256] = "";
    while (strncmp(now, "running", 7) == 0 || strcmp(before, now) != 0) {
        memcpy(before, now, sizeof now);
        nap(5000000);
        look(now, sizeof now);
    }
    nap(LONG_NS);
}

static void *help(void *unused)
{
    let_it_wait();
    deed();
    return unused;
}

static void later(void (*what)(void))
{
    deed = what;
    if (pthread_create(&helper, NULL, help, NULL) != 0)
        abort();
}

/* The helper's end takes a moment; who waits for it must not be seen to wait here. */
static int done(int is_right)
{
    while (pthread_tryjoin_np(helper, NULL) == EBUSY)
        nap(1000000);
    return is_right ? 0 : 1;
}

static struct timespec soon(clockid_t clock)
{
    struct timespec end;
    clock_gettime(clock, &end);
    end.tv_nsec += 3 * LONG_NS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

static const struct timespec length = {.tv_nsec = LONG_NS};

static void put_byte(void)
{
    if (syscall(SYS_write, ends[1], "x", 1) != 1)
        abort();
}

static void a_pipe(void)
{
    if (pipe(ends) != 0)
        abort();
    later(put_byte);
}

static void sockets(void)
{
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        abort();
    later(put_byte);
}

/* ---- sleeps ---- */

int call_nanosleep(void)
{
    return nanosleep(&length, NULL);
}
int call_clock_nanosleep(void)
{
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}
int call_usleep(void)
{
    return usleep(LONG_NS / 1000);
}
int call_thrd_sleep(void)
{
    return thrd_sleep(&length, NULL);
}

/* ---- signals ---- */

static pthread_t waiter;

static void send_signal(void)
{
    pthread_kill(waiter, SIGUSR2);
}

static sigset_t awaited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    waiter = pthread_self();
    return set;
}

int call_sigwait(void)
{
    int number = 0;
    sigset_t set = awaited();
    later(send_signal);
    return done(sigwait(&set, &number) == 0 && number == SIGUSR2);
}
int call_sigwaitinfo(void)
{
    sigset_t set = awaited();
    later(send_signal);
    return done(sigwaitinfo(&set, NULL) == SIGUSR2);
}
int call_sigtimedwait(void)
{
    sigset_t set = awaited();
    return sigtimedwait(&set, NULL, &length) == -1 && errno == EAGAIN ? 0 : 1;
}
static void nothing(int number)
{
    (void)number;
}
int call_sigsuspend(void)
{
    sigset_t mask;
    awaited();
    signal(SIGUSR2, nothing);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    sigdelset(&mask, SIGUSR2);
    later(send_signal);
    return done(sigsuspend(&mask) == -1 && errno == EINTR);
}

/* ---- one of several files ---- */

int call_select(void)
{
    fd_set set;
    a_pipe();
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return done(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
}
int call_pselect(void)
{
    fd_set set;
    a_pipe();
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return done(pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL) == 1);
}
int call_poll(void)
{
    a_pipe();
    return done(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1) == 1);
}
int call_ppoll(void)
{
    a_pipe();
    return done(ppoll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, NULL, NULL) == 1);
}
static int an_epoll(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    a_pipe();
    epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);
    return fd;
}
int call_epoll_wait(void)
{
    struct epoll_event event;
    return done(epoll_wait(an_epoll(), &event, 1, -1) == 1);
}
int call_epoll_pwait(void)
{
    struct epoll_event event;
    return done(epoll_pwait(an_epoll(), &event, 1, -1, NULL) == 1);
}

/* ---- files ---- */

static char byte;
static struct iovec vector = {&byte, 1};

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

static char full[1 << 16];

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

/* ---- sockets ---- */

int call_recv(void)
{
    sockets();
    return done(recv(ends[0], &byte, 1, 0) == 1);
}
int call_recvfrom(void)
{
    sockets();
    return done(recvfrom(ends[0], &byte, 1, 0, NULL, NULL) == 1);
}
int call_recvmsg(void)
{
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    sockets();
    return done(recvmsg(ends[0], &message, 0) == 1);
}
int call_recvmmsg(void)
{
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};
    sockets();
    return done(recvmmsg(ends[0], &message, 1, 0, NULL) == 1);
}

static void take_some(void)
{
    while (recv(ends[0], full, sizeof full, MSG_DONTWAIT) > 0)
        ;
}
static void full_sockets(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        abort();
    while (send(ends[1], full, sizeof full, MSG_DONTWAIT) > 0)
        ;
    later(take_some);
}
int call_send(void)
{
    full_sockets();
    return done(send(ends[1], "x", 1, 0) == 1);
}
int call_sendto(void)
{
    full_sockets();
    return done(sendto(ends[1], "x", 1, 0, NULL, 0) == 1);
}
int call_sendmsg(void)
{
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    full_sockets();
    return done(sendmsg(ends[1], &message, 0) == 1);
}
int call_sendmmsg(void)
{
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};
    full_sockets();
    return done(sendmmsg(ends[1], &message, 1, 0) == 1);
}

static struct sockaddr_in server = {.sin_family = AF_INET};

static void call_server(void)
{
    syscall(SYS_connect, syscall(SYS_socket, AF_INET, SOCK_STREAM, 0), &server, sizeof server);
}
static int a_server(int type)
{
    socklen_t n = sizeof server;
    int fd = socket(AF_INET, type, 0);
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server.sin_port = 0;
    if (bind(fd, (void *)&server, n) != 0 || getsockname(fd, (void *)&server, &n) != 0)
        abort();
    return fd;
}
static int listening(void)
{
    int fd = a_server(SOCK_STREAM);
    listen(fd, 1);
    later(call_server);
    return fd;
}
int call_accept(void)
{
    return done(accept(listening(), NULL, NULL) >= 0);
}
int call_accept4(void)
{
    return done(accept4(listening(), NULL, NULL, SOCK_CLOEXEC) >= 0);
}

/* ---- names of hosts: a server of ours takes its time to say that there is none ---- */

static int name_server;

static void refuse(void)
{
    unsigned char text[512];
    struct sockaddr_in from;
    socklen_t n_from = sizeof from;
    long n = syscall(SYS_recvfrom, name_server, text, sizeof text, 0, &from, &n_from);
    if (n < 12)
        abort();
    text[2] |= 0x80;                /* an answer: */
    text[3] = (text[3] & 0xf0) | 3; /* no such name */
    syscall(SYS_sendto, name_server, text, n, 0, &from, n_from);
}
static void ask_our_server(void)
{
    name_server = a_server(SOCK_DGRAM);
    res_init();
    _res.nscount = 1;
    _res.nsaddr_list[0] = server;
    _res.retrans = 5;
    _res.retry = 1;
    later(refuse);
}
int call_getaddrinfo(void)
{
    struct addrinfo hints = {.ai_family = AF_INET}, *found;
    ask_our_server();
    return done(getaddrinfo("nobody.invalid.", NULL, &hints, &found) == EAI_NONAME);
}
int call_gethostbyname_r(void)
{
    char room[1024];
    struct hostent result, *found;
    int error = 0;
    ask_our_server();
    gethostbyname_r("nobody.invalid.", &result, room, sizeof room, &found, &error);
    return done(!found && error == HOST_NOT_FOUND);
}
int call_gethostbyaddr_r(void)
{
    char room[1024];
    struct hostent result, *found;
    int error = 0;
    struct in_addr address = {htonl(0xc0000201)}; /* 192.0.2.1 is nobody's */
    ask_our_server();
    gethostbyaddr_r(&address, sizeof address, AF_INET, &result, room, sizeof room, &found, &error);
    return done(!found && error == HOST_NOT_FOUND);
}
int call_getnameinfo(void)
{
    char host[256];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(0xc0000201)}};
    ask_our_server();
    return done(getnameinfo((void *)&address, sizeof address, host, sizeof host, NULL, 0,
                            NI_NAMEREQD) == EAI_NONAME);
}

/* ---- queues and semaphores of the kernel ---- */

static int queue;
static struct {
    long type;
    char text[1];
} message = {.type = 1};

static void put_message(void)
{
    syscall(SYS_msgsnd, queue, &message, 1, 0);
}
int call_msgrcv(void)
{
    queue = msgget(IPC_PRIVATE, 0600);
    later(put_message);
    int is_right = msgrcv(queue, &message, 1, 0, 0) == 1;
    msgctl(queue, IPC_RMID, NULL);
    return done(is_right);
}
static void give_one(void)
{
    struct sembuf step = {.sem_op = 1};
    syscall(SYS_semop, queue, &step, 1);
}
int call_semop(void)
{
    struct sembuf step = {.sem_op = -1};
    queue = semget(IPC_PRIVATE, 1, 0600);
    later(give_one);
    int is_right = semop(queue, &step, 1) == 0;
    semctl(queue, 0, IPC_RMID);
    return done(is_right);
}
int call_semtimedop(void)
{
    struct sembuf step = {.sem_op = -1};
    int set = semget(IPC_PRIVATE, 1, 0600);
    int is_right = semtimedop(set, &step, 1, &length) == -1 && errno == EAGAIN;
    semctl(set, 0, IPC_RMID);
    return is_right ? 0 : 1;
}
static mqd_t a_queue(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    mqd_t made = mq_open("/scalene-calls", O_RDWR | O_CREAT, 0600, &attributes);
    mq_unlink("/scalene-calls");
    return made;
}
int call_mq_timedreceive(void)
{
    char text[8];
    struct timespec end = soon(CLOCK_REALTIME);
    return mq_timedreceive(a_queue(), text, 8, NULL, &end) == -1 && errno == ETIMEDOUT ? 0 : 1;
}

/* ---- other processes ---- */

static pid_t a_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        nap(3 * LONG_NS);
        _exit(7);
    }
    return pid;
}
int call_wait(void)
{
    int status;
    pid_t pid = a_child();
    return wait(&status) == pid && WEXITSTATUS(status) == 7 ? 0 : 1;
}
int call_waitpid(void)
{
    pid_t pid = a_child();
    return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}
int call_wait3(void)
{
    pid_t pid = a_child();
    return wait3(NULL, 0, NULL) == pid ? 0 : 1;
}
int call_wait4(void)
{
    pid_t pid = a_child();
    return wait4(pid, NULL, 0, NULL) == pid ? 0 : 1;
}
int call_waitid(void)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)a_child(), &info, WEXITED);
}
int call_system(void)
{
    return system("sleep 0.3");
}
int call_pclose(void)
{
    return pclose(popen("sleep 0.3", "w"));
}

/* ---- other threads ---- */

static void rest(void)
{
}
int call_pthread_join(void)
{
    later(rest);
    return pthread_join(helper, NULL);
}
int call_pthread_timedjoin(void)
{
    later(rest);
    struct timespec end = soon(CLOCK_REALTIME);
    end.tv_sec += 30;
    return pthread_timedjoin_np(helper, NULL, &end);
}
static int help_thrd(void *unused)
{
    let_it_wait();
    return unused ? 1 : 3;
}
int call_thrd_join(void)
{
    thrd_t thread;
    int result = 0;
    thrd_create(&thread, help_thrd, NULL);
    return thrd_join(thread, &result) == thrd_success && result == 3 ? 0 : 1;
}

static sem_t semaphore, is_held;

static void post(void)
{
    sem_post(&semaphore);
}
int call_sem_wait(void)
{
    sem_init(&semaphore, 0, 0);
    later(post);
    return done(sem_wait(&semaphore) == 0);
}
int call_sem_timedwait(void)
{
    struct timespec end = soon(CLOCK_REALTIME);
    sem_init(&semaphore, 0, 0);
    return sem_timedwait(&semaphore, &end) == -1 && errno == ETIMEDOUT ? 0 : 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static void *hold_both(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    sem_post(&is_held);
    let_it_wait();
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void others_hold_both(void)
{
    sem_init(&is_held, 0, 0);
    pthread_create(&helper, NULL, hold_both, NULL);
    while (sem_trywait(&is_held) != 0)
        nap(1000000);
}
int call_pthread_mutex_lock(void)
{
    others_hold_both();
    int result = pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return done(result == 0);
}
int call_pthread_mutex_timedlock(void)
{
    struct timespec end = soon(CLOCK_REALTIME);
    end.tv_sec += 30;
    others_hold_both();
    int result = pthread_mutex_timedlock(&mutex, &end);
    pthread_mutex_unlock(&mutex);
    return done(result == 0);
}
int call_pthread_rwlock_rdlock(void)
{
    others_hold_both();
    int result = pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return done(result == 0);
}
int call_pthread_rwlock_wrlock(void)
{
    others_hold_both();
    int result = pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return done(result == 0);
}
static void wait_at_barrier(void)
{
    pthread_barrier_wait(&barrier);
}
int call_pthread_barrier_wait(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    later(wait_at_barrier);
    int result = pthread_barrier_wait(&barrier);
    return done(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
}
static void wake(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
int call_pthread_cond_wait(void)
{
    pthread_mutex_lock(&mutex);
    later(wake);
    int result = pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return done(result == 0);
}
int call_pthread_cond_timedwait(void)
{
    struct timespec end = soon(CLOCK_REALTIME);
    pthread_mutex_lock(&mutex);
    int result = pthread_cond_timedwait(&condition, &mutex, &end);
    pthread_mutex_unlock(&mutex);
    return result == ETIMEDOUT ? 0 : 1;
}
