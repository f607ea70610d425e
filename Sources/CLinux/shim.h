/* Linux calls that Swift cannot import, each with its reason. No state, no policy: one call each. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* At most this many descriptors travel with one message: Linux' SCM_MAX_FD. More take several messages. */
#define LP_MOST_DESCRIPTORS 253

/* The CMSG macros do not import: sends bytes with descriptors (SCM_RIGHTS), all of them or nothing. Never raises SIGPIPE. */
static inline ssize_t lp_send(int socket, const void *bytes, size_t length, const int *descriptors, int count, int flags)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * LP_MOST_DESCRIPTORS)];
    } control;
    struct iovec part = { (void *)bytes, length };
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > LP_MOST_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)count);
    }
    return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

/* The CMSG macros do not import: receives bytes and the descriptors that came with them, closed on exec. EMFILE where this
   process may not have them all: the kernel has closed the rest. */
static inline ssize_t lp_receive(int socket, void *bytes, size_t length, int *descriptors, int *count, int flags)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * LP_MOST_DESCRIPTORS)];
    } control;
    struct iovec part = { bytes, length };
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    *count = 0;
    ssize_t got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (got < 0)
        return got;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            size_t held = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < held && *count < LP_MOST_DESCRIPTORS; i++)
                memcpy(&descriptors[(*count)++], CMSG_DATA(header) + i * sizeof(int), sizeof(int));
        }
    if (message.msg_flags & MSG_CTRUNC) {
        while (*count > 0)
            close(descriptors[--*count]);
        errno = EMFILE;
        return -1;
    }
    return got;
}

/* `prctl` has variable arguments: the calling process gets this signal when its parent thread ends. */
static inline int lp_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

/* `syncfs` hides behind _GNU_SOURCE: everything written to a descriptor's file system reaches the disk. */
static inline int lp_sync_all(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

/* `memfd_create` hides behind _GNU_SOURCE: a file in memory, closed on exec. */
static inline int lp_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

/* `__O_TMPFILE | O_DIRECTORY` does not import: an unnamed, readable and writable file in an open folder. */
static inline int lp_open_unnamed(int folder, mode_t mode)
{
#ifndef O_TMPFILE
    const int unnamed = 020000000 | O_DIRECTORY;
#else
    const int unnamed = O_TMPFILE;
#endif
    return openat(folder, ".", unnamed | O_RDWR | O_CLOEXEC, mode);
}

struct lp_open_how {
    uint64_t flags, mode, resolve;
};

/* glibc has no wrapper of openat2: a folder below `folder`, symbolic links that leave it refused (EXDEV). */
static inline int lp_open_folder_beneath(int folder, const char *path)
{
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
    /* RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS */
    struct lp_open_how how = { O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0x08 | 0x02 };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/* Only with _GNU_SOURCE: renames without replacing (EEXIST). */
static inline int lp_rename_new(int from_folder, const char *from, int to_folder, const char *to)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 1u /* RENAME_NOREPLACE */);
}

/* SIG_IGN does not import as something that can be compared. */
static inline int lp_is_ignored(const struct sigaction *action) { return action->sa_handler == SIG_IGN; }

/* `signalfd` is in no module map: a descriptor that reads as the signals of the set arrive. */
static inline int lp_signal_descriptor(const sigset_t *set) { return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK); }

/* CPU_COUNT and its set need _GNU_SOURCE: how many cores this process may use. */
static inline int lp_usable_cores(void)
{
    unsigned long mask[128];
    long size = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long i = 0; i < size / (long)sizeof *mask; i++)
        count += __builtin_popcountl(mask[i]);
    return count;
}

/* `sys/xattr.h` is in no module map: names of a file's extended attributes, each closed by NUL. */
static inline ssize_t lp_list_attributes(int file, char *names, size_t size) { return flistxattr(file, names, size); }

/* An extended attribute's value. */
static inline ssize_t lp_get_attribute(int file, const char *name, void *value, size_t size)
{
    return fgetxattr(file, name, value, size);
}

/* Sets an extended attribute. */
static inline int lp_set_attribute(int file, const char *name, const void *value, size_t size)
{
    return fsetxattr(file, name, value, size, 0);
}

/* The signal number of the next arrived signal, 0 when there is none. */
static inline int lp_next_signal(int descriptor)
{
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

/* WIFSIGNALED and friends are macros: the signal that ended a process, 0 if it exited by itself. */
static inline int lp_ending_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

/* The exit code of a process that exited by itself. */
static inline int lp_exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

/* <malloc.h> is in no module map: gives back to the system what is free. */
static inline void lp_trim(void) { malloc_trim(0); }

/* Bytes that malloc has given out and not got back, in all arenas. */
static inline size_t lp_held_bytes(void)
{
    malloc_trim(0);
    struct mallinfo2 facts = mallinfo2();
    return facts.uordblks + facts.hblkhd;
}

/* strerrordesc_np hides behind _GNU_SOURCE: what an error number means, in English, NULL of one that is none. */
extern const char *strerrordesc_np(int error);
static inline const char *lp_error_words(int error) { return strerrordesc_np(error); }

/* Names of signals as people write them; sigabbrev_np hides behind _GNU_SOURCE and leaves the SIG away. */
static inline const char *lp_signal_name(int signal)
{
#define LP_NAMED(name) case name: return #name;
    switch (signal) {
    LP_NAMED(SIGHUP) LP_NAMED(SIGINT) LP_NAMED(SIGQUIT) LP_NAMED(SIGILL) LP_NAMED(SIGTRAP) LP_NAMED(SIGABRT)
    LP_NAMED(SIGBUS) LP_NAMED(SIGFPE) LP_NAMED(SIGKILL) LP_NAMED(SIGUSR1) LP_NAMED(SIGSEGV) LP_NAMED(SIGUSR2)
    LP_NAMED(SIGPIPE) LP_NAMED(SIGALRM) LP_NAMED(SIGTERM) LP_NAMED(SIGXCPU) LP_NAMED(SIGXFSZ) LP_NAMED(SIGVTALRM)
    LP_NAMED(SIGPROF) LP_NAMED(SIGSYS)
    default: return "a signal without a name";
    }
#undef LP_NAMED
}
