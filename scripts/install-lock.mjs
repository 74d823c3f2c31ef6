// One installation at a time per checkout, also across unrelated processes.
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;
const HEARTBEAT_MS = 1000;
/**
 * If the holder can't be checked by its process id (another container, a reused id), the lock is stale after this
 * silence.
 */
const SILENCE_MS = 60_000;

/**
 * Waits for the lock file and takes it; a lock left behind by a dead process is taken over.
 * @param {string} path
 * @param {(pid: number) => void} onWait called once with the holder, if there is one
 * @returns {Promise<{ cover: (pid: number) => void, release: () => void }>} `cover` also keeps the lock for a child
 * process that would go on after this one was killed
 */
export async function acquireInstallLock(path, onWait) {
  let told = false;
  for (;;) {
    if (create(path)) return hold(path);
    const found = read(path);
    if (found === undefined) continue;
    if (isDead(found)) {
      takeAway(path, found);
      continue;
    }
    if (!told) onWait(found.pids[0]);
    told = true;
    await delay(POLL_MS);
  }
}

function hold(path) {
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimesSync(path, now, now);
  }, HEARTBEAT_MS).unref();
  return {
    cover: (pid) => writeFileSync(path, content([process.pid, pid])),
    release: () => {
      clearInterval(heartbeat);
      rmSync(path, { force: true });
    },
  };
}

function create(path) {
  try {
    writeFileSync(path, content([process.pid]), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function content(pids) {
  return JSON.stringify({ host: hostname(), pids });
}

/** The current lock, or undefined when it has just been released. A lock that is being written counts as held. */
function read(path) {
  try {
    const text = readFileSync(path, 'utf8');
    const { mtimeMs } = statSync(path);
    try {
      return { text, mtimeMs, ...JSON.parse(text) };
    } catch {
      return { text, mtimeMs, host: '', pids: [] };
    }
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isDead({ host, pids, mtimeMs }) {
  if (Date.now() - mtimeMs > SILENCE_MS) return true;
  return host === hostname() && pids.length > 0 && !pids.some(isAlive);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Renames before removing: if two processes find the same stale lock, only one removes it; a live lock is put back. */
function takeAway(path, dead) {
  const aside = `${path}-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (read(aside)?.text === dead.text) rmSync(aside, { force: true });
  else renameSync(aside, path);
}
