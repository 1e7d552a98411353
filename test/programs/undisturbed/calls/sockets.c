/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a socket, the name of a host, or a queue of the kernel. */
#include "calls.h"

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
