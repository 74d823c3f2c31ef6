/*
 * A library for LD_PRELOAD: it counts the libc calls by which a process changes the files of one folder, and makes some
 * of them fail. Counts and faults are in a page shared with the test; its layout is `struct control`, which
 * failing-calls.ts repeats.
 *
 *   TILTH_TEST_FAULT_ROOT     the folder, absolute
 *   TILTH_TEST_FAULT_CONTROL  the shared page, a file
 *   TILTH_TEST_BOOT_ID        a file that replaces the boot id of the machine (optional)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum call { WRITE, SYNC, DATASYNC, RENAME, UNLINK, TRUNCATE, CREATE, MKDIR, CALLS };
enum place { DATABASE, LOG, SHARED_MEMORY, PACK, BLOB_FILE, BESIDE, PROBE, FOLDER, OTHER, PLACES };
enum fault { NONE, KILL_BEFORE, KILL_AFTER, ERROR, SHORT, TORN, SKIP };

struct control {
  _Atomic uint32_t armed;
  uint32_t calls;  /* bit mask of enum call */
  uint32_t places; /* bit mask of enum place */
  uint32_t nth;    /* from 1: number of the first faulty call that matches both masks */
  uint32_t times;  /* how many in a row */
  uint32_t fault;
  uint32_t error; /* errno of ERROR */
  _Atomic uint32_t matched;
  _Atomic uint32_t happened;
  _Atomic uint32_t counts[CALLS][PLACES];
};

/* The libc function of this name. */
#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })
#define MOST_DESCRIPTORS 65536

static struct control *control;
static const char *root;
static size_t root_length;
static const char *boot_id;
/* place + 1 of the file behind a descriptor; 0: not in the folder */
static unsigned char place_of[MOST_DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
  root = getenv("TILTH_TEST_FAULT_ROOT");
  boot_id = getenv("TILTH_TEST_BOOT_ID");
  const char *path = getenv("TILTH_TEST_FAULT_CONTROL");
  if (!root || !path) return;
  root_length = strlen(root);
  int fd = REAL(open)(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) abort();
  void *page = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) abort();
  control = page;
  close(fd);
}

static int starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Place + 1 of a path, 0 outside the folder. */
static int place_of_path(const char *path) {
  if (!control || !starts(path, root) || (path[root_length] != '/' && path[root_length] != 0)) return 0;
  const char *name = path + root_length;
  while (*name == '/') name++;
  if (strcmp(name, "tilth.db") == 0) return 1 + DATABASE;
  if (strcmp(name, "tilth.db-wal") == 0) return 1 + LOG;
  if (strcmp(name, "tilth.db-shm") == 0) return 1 + SHARED_MEMORY;
  if (starts(name, "blobs/probe-")) return 1 + PROBE;
  if (starts(name, "blobs/packs/")) return 1 + PACK;
  if (starts(name, "blobs/beside/")) return 1 + BESIDE;
  if (starts(name, "blobs/files/") && strlen(name) > strlen("blobs/files/xx")) return 1 + BLOB_FILE;
  if (*name == 0 || starts(name, "blobs")) return 1 + FOLDER;
  return 1 + OTHER;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Counts a call and returns its fault; kills the process if that is due before the call. */
static int fate_of(enum call call, int place) {
  if (place == 0 || !atomic_load(&control->armed)) return NONE;
  place--;
  atomic_fetch_add(&control->counts[call][place], 1);
  if (!(control->calls & 1u << call) || !(control->places & 1u << place)) return NONE;
  uint32_t number = atomic_fetch_add(&control->matched, 1) + 1;
  if (number < control->nth || number - control->nth >= control->times) return NONE;
  if (control->fault != SHORT && control->fault != TORN) atomic_fetch_add(&control->happened, 1);
  if (control->fault == KILL_BEFORE) die();
  return (int)control->fault;
}

#define GUARD(call, place, expression)                        \
  do {                                                        \
    int fate = fate_of(call, place);                          \
    if (fate == ERROR) return errno = (int)control->error, -1; \
    if (fate == SKIP) return 0;                               \
    __typeof__(expression) result = (expression);             \
    if (fate == KILL_AFTER) die();                            \
    return result;                                            \
  } while (0)

static int place_of_descriptor(int fd) {
  if (!control || fd < 0 || fd >= MOST_DESCRIPTORS || place_of[fd] == 0) return 0;
  struct stat stats;
  /* The descriptor was closed without our notice and is a socket by now. */
  if (fstat(fd, &stats) != 0 || !(S_ISREG(stats.st_mode) || S_ISDIR(stats.st_mode))) return place_of[fd] = 0;
  return place_of[fd];
}

/* Bytes that a shortened write may take: about half, in whole sectors if the kernel requires it; 0: can't be shortened. */
static size_t half_of(int fd, size_t length) {
  size_t half = length / 2;
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && flags & O_DIRECT ? half / 4096 * 4096 : half;
}

/* The first `length` bytes of a vector, in `part`. */
static int first_of(const struct iovec *vector, int count, size_t length, struct iovec *part) {
  int taken = 0;
  for (; taken < count && length > 0; taken++) {
    part[taken] = vector[taken];
    if (part[taken].iov_len > length) part[taken].iov_len = length;
    length -= part[taken].iov_len;
  }
  return taken;
}

static size_t length_of(const struct iovec *vector, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += vector[i].iov_len;
  return length;
}

static ssize_t put(int fd, const struct iovec *vector, int count, off64_t offset) {
  if (offset < 0) return REAL(writev)(fd, vector, count);
  return REAL(pwritev64)(fd, vector, count, offset);
}

static ssize_t guarded_write(int fd, const struct iovec *vector, int count, off64_t offset) {
  int fate = fate_of(WRITE, place_of_descriptor(fd));
  if (fate == ERROR) return errno = (int)control->error, -1;
  if (fate == SKIP) return (ssize_t)length_of(vector, count);
  if (fate == SHORT || fate == TORN) {
    size_t half = half_of(fd, length_of(vector, count));
    if (half > 0 && count <= 1024) {
      struct iovec part[1024];
      atomic_fetch_add(&control->happened, 1);
      ssize_t written = put(fd, part, first_of(vector, count, half, part), offset);
      if (fate == TORN) die();
      return written;
    }
  }
  ssize_t written = put(fd, vector, count, offset);
  if (fate == KILL_AFTER) die();
  return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec vector = {(void *)bytes, length};
  if (place_of_descriptor(fd) == 0) return REAL(write)(fd, bytes, length);
  return guarded_write(fd, &vector, 1, -1);
}

ssize_t writev(int fd, const struct iovec *vector, int count) { return guarded_write(fd, vector, count, -1); }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  struct iovec vector = {(void *)bytes, length};
  return guarded_write(fd, &vector, 1, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t pwritev64(int fd, const struct iovec *vector, int count, off64_t offset) {
  return guarded_write(fd, vector, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *vector, int count, off_t offset) {
  return guarded_write(fd, vector, count, offset);
}

int fsync(int fd) { GUARD(SYNC, place_of_descriptor(fd), REAL(fsync)(fd)); }

int fdatasync(int fd) { GUARD(DATASYNC, place_of_descriptor(fd), REAL(fdatasync)(fd)); }

int ftruncate64(int fd, off64_t length) {
  GUARD(TRUNCATE, place_of_descriptor(fd), REAL(ftruncate64)(fd, length));
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int rename(const char *from, const char *to) {
  GUARD(RENAME, place_of_path(to), REAL(rename)(from, to));
}

int unlink(const char *path) { GUARD(UNLINK, place_of_path(path), REAL(unlink)(path)); }

int mkdir(const char *path, mode_t mode) {
  GUARD(MKDIR, place_of_path(path), REAL(mkdir)(path, mode));
}

static int remember(int fd, int place) {
  if (fd >= 0 && fd < MOST_DESCRIPTORS) place_of[fd] = (unsigned char)place;
  return fd;
}

static int guarded_open(const char *path, int flags, mode_t mode) {
  if (boot_id && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot_id;
  int place = place_of_path(path);
  int fate = flags & O_CREAT ? fate_of(CREATE, place) : NONE;
  if (fate == ERROR) return errno = (int)control->error, -1;
  int fd = remember(REAL(open64)(path, flags, mode), place);
  if (fate == KILL_AFTER) die();
  return fd;
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(rest, int) : 0;
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return guarded_open(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return guarded_open(path, flags, mode);
}
