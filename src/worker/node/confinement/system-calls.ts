// The system calls of Linux that a sandbox child may make and those that are denied, with their
// numbers on x86_64 and arm64. A call in neither list, such as one of a later kernel, fails as
// unknown: see `seccomp-filter.ts`.

export type Machine = 'x64' | 'arm64';

/** Name to number; -1 where the machine has no such call. */
export type SystemCalls = ReadonlyMap<string, Readonly<Record<Machine, number>>>;

/** Calls that Node 24 and 26 were seen to make, and calls that their C library may use instead. */
export const allowedCalls = read(`
  # Memory.
  mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, madvise 28 233, brk 12 214,
  mincore 27 232, membarrier 324 283, pkey_mprotect 329 288, pkey_alloc 330 289,
  pkey_free 331 290,
  # Open files, and the tree that is left: all of it is read-only.
  read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68,
  preadv 295 69, pwritev 296 70, open 2 -, openat 257 56, close 3 57, close_range 436 436,
  stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, statx 332 291, statfs 137 43,
  fstatfs 138 44, access 21 -, faccessat 269 48, faccessat2 439 439, readlink 89 -,
  readlinkat 267 78, getcwd 79 17, chdir 80 49, getdents64 217 61, lseek 8 62, fcntl 72 25,
  ioctl 16 29, dup 32 23, dup2 33 -, dup3 292 24, fadvise64 221 223, umask 95 166,
  # The event loop, and the channel to the agent, which is inherited.
  epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -,
  epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19, pipe 22 -,
  pipe2 293 59, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, sendmsg 46 211,
  recvmsg 47 212, getsockopt 55 209, getsockname 51 204, getpeername 52 205, shutdown 48 210,
  # Signals; the namespace holds nobody but the child.
  rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigsuspend 130 133,
  rt_sigtimedwait 128 137, rt_sigpending 127 136, sigaltstack 131 132, kill 62 129,
  tgkill 234 131, restart_syscall 219 128,
  # Threads.
  futex 202 98, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293,
  set_tid_address 218 96, gettid 186 178, sched_yield 24 124, sched_getaffinity 204 123,
  sched_getparam 143 121, sched_getscheduler 145 120, getcpu 309 168, getpriority 140 141,
  setpriority 141 140, arch_prctl 158 -, prctl 157 167, exit 60 93, exit_group 231 94,
  # Time.
  clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, nanosleep 35 101,
  gettimeofday 96 169, time 201 -, times 100 153,
  # Who it is, and what it may.
  getpid 39 172, getppid 110 173, getuid 102 174, geteuid 107 175, getgid 104 176,
  getegid 108 177, getgroups 115 158, getresuid 118 148, getresgid 120 150, getpgrp 111 -,
  getpgid 121 155, getsid 124 156, capget 125 90, capset 126 91, uname 63 160, sysinfo 99 179,
  getrusage 98 165, getrlimit 97 163, setrlimit 160 164, prlimit64 302 261, getrandom 318 278,
  # What bubblewrap does after the filter is in force: it starts Node, and waits for its end.
  execve 59 221, wait4 61 260,
`);

/**
 * Calls that fail with EPERM instead of as unknown, so that a person who meets one sees that it is
 * not allowed: calls that make a socket, another process, a namespace or a mount, that look into
 * processes or write files, and calls by which kernels were broken into before.
 */
export const deniedCalls = read(`
  socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202,
  accept4 288 242, sendto 44 206, recvfrom 45 207, sendmmsg 307 269, recvmmsg 299 243,
  setsockopt 54 208, fork 57 -, vfork 58 -, execveat 322 281, unshare 272 97, setns 308 268,
  ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440,
  pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424, kcmp 312 272,
  mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, mount_setattr 442 442,
  move_mount 429 429, open_tree 428 428, fsopen 430 430, fsconfig 431 431, fsmount 432 432,
  fspick 433 433, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, keyctl 250 219,
  add_key 248 217, request_key 249 218, seccomp 317 277, personality 135 92, io_setup 206 0,
  io_submit 209 2, open_by_handle_at 304 265, name_to_handle_at 303 264, memfd_create 319 279,
  memfd_secret 447 447, shmget 29 194, shmat 30 196, msgget 68 186, semget 64 190,
  mq_open 240 180, init_module 175 105, finit_module 313 273, delete_module 176 106,
  kexec_load 246 104, kexec_file_load 320 294, reboot 169 142, swapon 167 224, swapoff 168 225,
  acct 163 89, quotactl 179 60, syslog 103 116, iopl 172 -, ioperm 173 -, settimeofday 164 170,
  clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266, sethostname 170 161,
  setdomainname 171 162, lookup_dcookie 212 18, nfsservctl 180 42, setuid 105 146,
  setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149,
  setgroups 116 159, setfsuid 122 151, setfsgid 123 152, creat 85 -, truncate 76 45,
  ftruncate 77 46, fallocate 285 47, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36,
  unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -,
  mkdirat 258 34, rmdir 84 -, mknod 133 -, mknodat 259 33, chmod 90 -, fchmod 91 52,
  fchmodat 268 53, chown 92 -, fchown 93 55, fchownat 260 54, lchown 94 -, utimensat 280 88,
  setxattr 188 5, fsetxattr 190 7, sched_setscheduler 144 119, sched_setaffinity 203 122,
  mbind 237 235, set_mempolicy 238 237, migrate_pages 256 238, move_pages 279 239,
  inotify_init1 294 26, fanotify_init 300 262, vmsplice 278 75, splice 275 76, tee 276 77,
`);

/** `clone` makes threads; with other flags it makes processes and namespaces. */
export const cloneCall = { x64: 56, arm64: 220 } as const;

function read(table: string): SystemCalls {
  const entries = table.replaceAll(/^ *#.*$/gm, '').matchAll(/(\w+) (\d+|-) (\d+|-),/g);
  const number = (text = '-') => (text === '-' ? -1 : Number(text));
  return new Map(
    [...entries].map(([, name = '', x64, arm64]) => [
      name,
      { x64: number(x64), arm64: number(arm64) },
    ]),
  );
}
