/*
 * An in-memory file system (FUSE) that simulates a loss of power: unsynced bytes of files and entries of folders are
 * lost. It loads a tree at the start; when the power fails, it writes the surviving tree.
 *
 *   forgetful-disk MOUNTPOINT SOURCE
 *
 * It prints `ready` once it is mounted, and then reads commands from standard input, one per line:
 *   arm NTH MODE SEED LINKS OUTPUT   counts the calls that change something from now on; at the NTH (0: never) the power
 *                                    fails: it writes OUTPUT, prints `cut`, and every later call fails with EIO
 *   count                            prints how many calls there were since
 *
 * MODE, for unsynced bytes: 0 all are lost, 1 all survive, 2 random pages of 4 KiB survive, 3 random sectors of 512 bytes
 * survive and the end of a file is cut anywhere. Of the changes of folders, a prefix survives, in order.
 * LINKS 1: syncing a new file also makes its name durable, as in most file systems; 0: only syncing its folder does.
 */
#define FUSE_USE_VERSION 314
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define SECTOR 512
#define CAPACITY (4ull << 30)

struct bytes {
  char *data;
  size_t size, room;
};

struct entry {
  char *name;
  struct node *node;
  struct entry *next;
};

struct node {
  mode_t mode;
  struct timespec changed;
  struct bytes live, durable;
  /* One byte per page: whether it was written since the last sync. */
  unsigned char *dirty;
  size_t dirty_room;
  struct entry *entries, *durable_entries;
  int uncounted;
};

/* A change of folders that is not durable yet; `node` is NULL for a removal. A rename is one change of two names. */
struct change {
  struct node *folder, *other_folder;
  char *name, *other_name;
  struct node *node;
  struct change *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;
static struct change *changes, **last_change = &changes;
static unsigned long nth, count;
static int mode, links, dead, armed;
static uint64_t state;
static char output[4096];

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

static uint32_t chance(void) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 33);
}

static struct node *new_node(mode_t node_mode) {
  struct node *node = must(calloc(1, sizeof *node));
  node->mode = node_mode;
  clock_gettime(CLOCK_REALTIME, &node->changed);
  return node;
}

static void resize(struct bytes *bytes, size_t size) {
  if (size > bytes->room) {
    size_t room = bytes->room ? bytes->room : 65536;
    while (room < size) room *= 2;
    bytes->data = must(realloc(bytes->data, room));
    memset(bytes->data + bytes->room, 0, room - bytes->room);
    bytes->room = room;
  }
  /* The truncated part reads as zeros when the file grows again. */
  if (size < bytes->size) memset(bytes->data + size, 0, bytes->size - size);
  bytes->size = size;
}

static void mark(struct node *node, size_t from, size_t to) {
  size_t pages = (to + PAGE - 1) / PAGE;
  if (pages > node->dirty_room) {
    size_t room = pages * 2;
    node->dirty = must(realloc(node->dirty, room));
    memset(node->dirty + node->dirty_room, 0, room - node->dirty_room);
    node->dirty_room = room;
  }
  for (size_t page = from / PAGE; page < pages; page++) node->dirty[page] = 1;
}

static struct entry *find(struct entry *entry, const char *name) {
  while (entry && strcmp(entry->name, name) != 0) entry = entry->next;
  return entry;
}

/* Puts a node under a name, or removes the name. */
static void assign(struct entry **entries, const char *name, struct node *node) {
  for (struct entry **at = entries; *at; at = &(*at)->next) {
    if (strcmp((*at)->name, name) != 0) continue;
    if (node) (*at)->node = node;
    else *at = (*at)->next;
    return;
  }
  if (!node) return;
  struct entry *entry = must(calloc(1, sizeof *entry));
  entry->name = must(strdup(name));
  entry->node = node;
  entry->next = *entries;
  *entries = entry;
}

static void apply(const struct change *change) {
  assign(&change->folder->durable_entries, change->name, change->node);
  if (change->other_folder) assign(&change->other_folder->durable_entries, change->other_name, NULL);
}

static void note(struct node *folder, const char *name, struct node *node, struct node *other, const char *other_name) {
  struct change *change = must(calloc(1, sizeof *change));
  change->folder = folder;
  change->name = must(strdup(name));
  change->node = node;
  change->other_folder = other;
  change->other_name = other_name ? must(strdup(other_name)) : NULL;
  *last_change = change;
  last_change = &change->next;
}

/* Makes changes durable: those of a folder, or the one that gave a file its name. */
static void settle(struct node *folder, struct node *file) {
  struct change **at = &changes;
  while (*at) {
    struct change *change = *at;
    int wanted = folder ? change->folder == folder || change->other_folder == folder : change->node == file;
    if (!wanted) {
      at = &change->next;
      continue;
    }
    apply(change);
    *at = change->next;
  }
  last_change = at;
}

static void sync_file(struct node *node) {
  resize(&node->durable, node->live.size);
  for (size_t page = 0; page < node->dirty_room; page++) {
    if (!node->dirty[page]) continue;
    node->dirty[page] = 0;
    size_t from = page * PAGE;
    if (from >= node->live.size) continue;
    size_t length = node->live.size - from < PAGE ? node->live.size - from : PAGE;
    memcpy(node->durable.data + from, node->live.data + from, length);
  }
}

/* Decides which unsynced bytes survive. */
static void tear(struct node *node) {
  if (mode == 0) return;
  size_t live = node->live.size, durable = node->durable.size, size = live;
  if (mode == 1) {
    sync_file(node);
    return;
  }
  /* The journal may record the size before or after the bytes are written. */
  if (live > durable) {
    size = durable + (chance() % 3 == 0 ? 0 : chance() % 2 ? live - durable : chance() % (live - durable + 1));
    if (mode == 2) size = size == live ? live : size / PAGE * PAGE < durable ? durable : size / PAGE * PAGE;
  } else if (live < durable && chance() % 2) {
    size = durable;
  }
  size_t unit = mode == 2 ? PAGE : SECTOR;
  resize(&node->durable, size);
  for (size_t from = 0; from < size && from < live; from += unit) {
    if (from / PAGE >= node->dirty_room || !node->dirty[from / PAGE] || chance() % 2) continue;
    size_t to = from + unit;
    if (to > size) to = size;
    if (to > live) to = live;
    memcpy(node->durable.data + from, node->live.data + from, to - from);
  }
}

static void write_tree(struct node *folder, const char *path) {
  if (mkdir(path, 0700) != 0 && errno != EEXIST) abort();
  for (struct entry *entry = folder->durable_entries; entry; entry = entry->next) {
    char *child;
    if (asprintf(&child, "%s/%s", path, entry->name) < 0) abort();
    if (S_ISDIR(entry->node->mode)) {
      write_tree(entry->node, child);
    } else {
      tear(entry->node);
      int fd = open(child, O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const struct bytes *bytes = &entry->node->durable;
      for (size_t done = 0; done < bytes->size;) {
        ssize_t written = write(fd, bytes->data + done, bytes->size - done);
        if (written <= 0) abort();
        done += (size_t)written;
      }
      if (fd < 0 || close(fd) != 0) abort();
    }
    free(child);
  }
}

static void lose_power(void) {
  dead = 1;
  unsigned long total = 0, kept;
  for (struct change *change = changes; change; change = change->next) total++;
  kept = mode == 0 ? 0 : mode == 1 ? total : chance() % (total + 1);
  for (struct change *change = changes; change && kept > 0; change = change->next, kept--) apply(change);
  write_tree(root, output);
  printf("cut\n");
  fflush(stdout);
}

/* Called before each change; returns whether the power has failed. */
static int is_dead(const struct node *node) {
  if (dead) return 1;
  if (!armed || (node && node->uncounted)) return 0;
  count++;
  if (count == nth) lose_power();
  return dead;
}

static struct node *node_of(fuse_ino_t number) { return number == FUSE_ROOT_ID ? root : (struct node *)(uintptr_t)number; }

static fuse_ino_t number_of(const struct node *node) { return node == root ? FUSE_ROOT_ID : (fuse_ino_t)(uintptr_t)node; }

static struct stat stat_of(const struct node *node) {
  struct stat stats = {
      .st_ino = number_of(node),
      .st_mode = node->mode,
      .st_nlink = S_ISDIR(node->mode) ? 2 : 1,
      .st_uid = getuid(),
      .st_gid = getgid(),
      .st_size = (off_t)node->live.size,
      .st_blksize = PAGE,
      .st_blocks = (blkcnt_t)((node->live.size + 511) / 512),
      .st_mtim = node->changed,
      .st_ctim = node->changed,
      .st_atim = node->changed,
  };
  return stats;
}

static struct fuse_entry_param entry_of(const struct node *node) {
  struct fuse_entry_param entry = {
      .ino = number_of(node), .attr = stat_of(node), .attr_timeout = 3600, .entry_timeout = 3600};
  return entry;
}

#define WITH_LOCK(body)          \
  do {                           \
    pthread_mutex_lock(&lock);   \
    body;                        \
    pthread_mutex_unlock(&lock); \
  } while (0)

static void do_init(void *nothing, struct fuse_conn_info *connection) {
  (void)nothing;
  connection->max_write = 1 << 20;
}

static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
  WITH_LOCK({
    struct entry *found = find(node_of(parent)->entries, name);
    if (!found) fuse_reply_err(request, ENOENT);
    else {
      struct fuse_entry_param entry = entry_of(found->node);
      fuse_reply_entry(request, &entry);
    }
  });
}

static void do_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
  (void)info;
  WITH_LOCK({
    struct stat stats = stat_of(node_of(number));
    fuse_reply_attr(request, &stats, 3600);
  });
}

static void do_setattr(fuse_req_t request, fuse_ino_t number, struct stat *wanted, int which, struct fuse_file_info *info) {
  (void)info;
  WITH_LOCK({
    struct node *node = node_of(number);
    if (which & FUSE_SET_ATTR_SIZE && is_dead(node)) fuse_reply_err(request, EIO);
    else {
      if (which & FUSE_SET_ATTR_SIZE) {
        size_t before = node->live.size;
        size_t after = (size_t)wanted->st_size;
        resize(&node->live, after);
        mark(node, before < after ? before : after, before < after ? after : before);
      }
      if (which & FUSE_SET_ATTR_MODE) node->mode = (node->mode & S_IFMT) | (wanted->st_mode & 07777);
      clock_gettime(CLOCK_REALTIME, &node->changed);
      struct stat stats = stat_of(node);
      fuse_reply_attr(request, &stats, 3600);
    }
  });
}

/* A new node under a name; NULL if the power has failed. */
static struct node *make(fuse_ino_t parent, const char *name, mode_t node_mode) {
  struct node *folder = node_of(parent);
  size_t length = strlen(name);
  int uncounted = length > 4 && strcmp(name + length - 4, "-shm") == 0;
  if (uncounted ? dead : is_dead(NULL)) return NULL;
  struct node *node = new_node(node_mode);
  node->uncounted = uncounted;
  assign(&folder->entries, name, node);
  note(folder, name, node, NULL, NULL);
  return node;
}

static void do_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t node_mode) {
  WITH_LOCK({
    struct node *node = find(node_of(parent)->entries, name) ? NULL : make(parent, name, S_IFDIR | (node_mode & 07777));
    if (!node) fuse_reply_err(request, dead ? EIO : EEXIST);
    else {
      struct fuse_entry_param entry = entry_of(node);
      fuse_reply_entry(request, &entry);
    }
  });
}

static void do_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t node_mode, struct fuse_file_info *info) {
  WITH_LOCK({
    struct entry *found = find(node_of(parent)->entries, name);
    struct node *node = found ? found->node : make(parent, name, S_IFREG | (node_mode & 07777));
    if (!node) fuse_reply_err(request, EIO);
    else {
      struct fuse_entry_param entry = entry_of(node);
      info->keep_cache = 1;
      fuse_reply_create(request, &entry, info);
    }
  });
}

static void take_away(fuse_req_t request, fuse_ino_t parent, const char *name) {
  WITH_LOCK({
    struct node *folder = node_of(parent);
    struct entry *found = find(folder->entries, name);
    if (!found) fuse_reply_err(request, ENOENT);
    else if (S_ISDIR(found->node->mode) && found->node->entries) fuse_reply_err(request, ENOTEMPTY);
    else if (is_dead(found->node)) fuse_reply_err(request, EIO);
    else {
      assign(&folder->entries, name, NULL);
      note(folder, name, NULL, NULL, NULL);
      fuse_reply_err(request, 0);
    }
  });
}

static void do_rename(fuse_req_t request, fuse_ino_t parent, const char *name, fuse_ino_t new_parent, const char *new_name, unsigned flags) {
  WITH_LOCK({
    struct node *from = node_of(parent);
    struct node *to = node_of(new_parent);
    struct entry *found = find(from->entries, name);
    if (!found || flags) fuse_reply_err(request, flags ? EINVAL : ENOENT);
    else if (is_dead(found->node)) fuse_reply_err(request, EIO);
    else {
      struct node *node = found->node;
      assign(&to->entries, new_name, node);
      assign(&from->entries, name, NULL);
      note(to, new_name, node, from, name);
      fuse_reply_err(request, 0);
    }
  });
}

static void do_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
  (void)number;
  info->keep_cache = 1;
  fuse_reply_open(request, info);
}

static void do_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)info;
  WITH_LOCK({
    const struct bytes *bytes = &node_of(number)->live;
    size_t from = (size_t)offset < bytes->size ? (size_t)offset : bytes->size;
    size_t length = bytes->size - from < size ? bytes->size - from : size;
    if (dead) fuse_reply_err(request, EIO);
    else fuse_reply_buf(request, bytes->data ? bytes->data + from : NULL, length);
  });
}

static void do_write(fuse_req_t request, fuse_ino_t number, const char *data, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)info;
  WITH_LOCK({
    struct node *node = node_of(number);
    if (is_dead(node)) fuse_reply_err(request, EIO);
    else {
      size_t from = (size_t)offset;
      size_t before = node->live.size;
      if (from + size > before) resize(&node->live, from + size);
      memcpy(node->live.data + from, data, size);
      mark(node, from < before ? from : before, from + size);
      clock_gettime(CLOCK_REALTIME, &node->changed);
      fuse_reply_write(request, size);
    }
  });
}

static void do_fsync(fuse_req_t request, fuse_ino_t number, int data_only, struct fuse_file_info *info) {
  (void)data_only;
  (void)info;
  WITH_LOCK({
    struct node *node = node_of(number);
    if (is_dead(node)) fuse_reply_err(request, EIO);
    else {
      sync_file(node);
      if (links) settle(NULL, node);
      fuse_reply_err(request, 0);
    }
  });
}

static void do_fsyncdir(fuse_req_t request, fuse_ino_t number, int data_only, struct fuse_file_info *info) {
  (void)data_only;
  (void)info;
  WITH_LOCK({
    struct node *node = node_of(number);
    if (is_dead(node)) fuse_reply_err(request, EIO);
    else {
      settle(node, NULL);
      fuse_reply_err(request, 0);
    }
  });
}

static void do_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)info;
  WITH_LOCK({
    char *buffer = must(malloc(size));
    size_t used = 0;
    off_t place = 0;
    for (struct entry *entry = node_of(number)->entries; entry; entry = entry->next) {
      if (place++ < offset) continue;
      struct stat stats = stat_of(entry->node);
      size_t length = fuse_add_direntry(request, buffer + used, size - used, entry->name, &stats, place);
      if (length > size - used) break;
      used += length;
    }
    fuse_reply_buf(request, buffer, used);
    free(buffer);
  });
}

static void do_statfs(fuse_req_t request, fuse_ino_t number) {
  (void)number;
  struct statvfs stats = {.f_bsize = PAGE, .f_frsize = PAGE, .f_namemax = 255, .f_blocks = CAPACITY / PAGE,
                          .f_bfree = CAPACITY / PAGE, .f_bavail = CAPACITY / PAGE, .f_files = 1 << 20, .f_ffree = 1 << 20};
  fuse_reply_statfs(request, &stats);
}

static const struct fuse_lowlevel_ops operations = {
    .init = do_init,       .lookup = do_lookup,   .getattr = do_getattr, .setattr = do_setattr, .mkdir = do_mkdir,       .create = do_create,
    .unlink = take_away,   .rmdir = take_away,    .rename = do_rename,   .open = do_open,         .read = do_read,
    .write = do_write,     .fsync = do_fsync,     .readdir = do_readdir, .fsyncdir = do_fsyncdir, .statfs = do_statfs,
};

/* Loads a tree; all of it counts as durable. */
static void read_tree(struct node *folder, const char *path) {
  DIR *directory = must(opendir(path));
  for (struct dirent *found; (found = readdir(directory));) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    char *child;
    struct stat stats;
    if (asprintf(&child, "%s/%s", path, found->d_name) < 0 || lstat(child, &stats) != 0) abort();
    struct node *node = new_node(stats.st_mode);
    assign(&folder->entries, found->d_name, node);
    assign(&folder->durable_entries, found->d_name, node);
    if (S_ISDIR(stats.st_mode)) read_tree(node, child);
    else {
      int fd = open(child, O_RDONLY);
      resize(&node->live, (size_t)stats.st_size);
      for (size_t done = 0; done < node->live.size;) {
        ssize_t length = read(fd, node->live.data + done, node->live.size - done);
        if (length <= 0) abort();
        done += (size_t)length;
      }
      close(fd);
      mark(node, 0, node->live.size);
      sync_file(node);
    }
    free(child);
  }
  closedir(directory);
}

static void *listen_to_commands(void *nothing) {
  char line[8192];
  while (fgets(line, sizeof line, stdin)) {
    WITH_LOCK({
      unsigned long long seed;
      if (sscanf(line, "arm %lu %d %llu %d %4095s", &nth, &mode, &seed, &links, output) == 5) {
        state = seed * 2654435769u + 1;
        for (int turn = 0; turn < 8; turn++) chance();
        count = 0;
        armed = 1;
        printf("armed\n");
      } else if (strcmp(line, "count\n") == 0) {
        printf("%lu\n", count);
      }
      fflush(stdout);
    });
  }
  return nothing;
}

int main(int argument_count, char **arguments) {
  if (argument_count != 3) return 2;
  root = new_node(S_IFDIR | 0700);
  read_tree(root, arguments[2]);
  char *options[] = {arguments[0], "-o", "fsname=forgetful"};
  struct fuse_args fuse_arguments = FUSE_ARGS_INIT(3, options);
  struct fuse_session *session = fuse_session_new(&fuse_arguments, &operations, sizeof operations, NULL);
  if (!session || fuse_set_signal_handlers(session) != 0 || fuse_session_mount(session, arguments[1]) != 0) return 1;
  pthread_t listener;
  if (pthread_create(&listener, NULL, listen_to_commands, NULL) != 0) return 1;
  printf("ready\n");
  fflush(stdout);
  int result = fuse_session_loop(session);
  fuse_session_unmount(session);
  return result == 0 ? 0 : 1;
}
