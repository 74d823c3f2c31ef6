import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import type { Ending } from './server.ts';
import { findOnPath, findTool, type Tool } from './tools.ts';

/** Debian installs it in /usr/sbin, which is not on every PATH. */
export const sshd: Tool = {
  name: 'sshd',
  path: findOnPath('sshd') ?? findOnPath('sshd', ['/usr/sbin', '/usr/local/sbin']),
  howToGet: 'apt-get install openssh-server',
};

export const sshKeygen: Tool = findTool('ssh-keygen', 'openssh-client');

/** Lets an unprivileged server check test passwords; the module is in the folder beside the library. */
export const pamWrapper: Tool = {
  name: 'pam_wrapper',
  path: ['/usr/lib', '/usr/lib64', '/usr/local/lib']
    .flatMap((folder) => [folder, join(folder, `${archOf()}-linux-gnu`)])
    .map((folder) => join(folder, 'libpam_wrapper.so'))
    .find((file) => spawnSync('test', ['-f', file]).status === 0),
  howToGet: 'apt-get install libpam-wrapper',
};

export type SshServer = {
  config: { host: string; port: number; user: string; password: string; hostKey: string; path: string };
  /** The folder that the server exposes, with a path like this: `data`. */
  folder: string;
  /** A private key that the server accepts, encrypted with this passphrase. */
  privateKey: string;
  passphrase: string;
  /** Makes the server's user, who is not root, the owner of a file or folder. */
  give(...paths: string[]): Promise<void>;
  /** Stops the server and starts it on the same port with another host key; returns its fingerprint. */
  changeHostKey(): Promise<string>;
};

/** Runs the server until our end of its input is closed, also by the death of this process; then removes its folder. */
const guard = `exec 3<&0
"$@" 3<&- &
cat <&3 >/dev/null
kill $!
wait $!`;

/** Starts an OpenSSH server as an unprivileged user with a folder; it stops with the test. */
export async function startSshd(t: Ending, paths: { keygen: string }): Promise<SshServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-sshd-'));
  await chmod(directory, 0o755);
  const me = userInfo();
  // Root may read everything, but the tests include unreadable files.
  const nobody = me.uid === 0 ? { uid: 65_534, gid: 65_534, name: 'nobody' } : undefined;
  const user = nobody?.name ?? me.username;
  const [folder, pam] = [join(directory, 'data'), join(directory, 'pam')];
  const [password, passphrase] = ['pass word', 'pass phrase'];
  await Promise.all([mkdir(folder), mkdir(pam)]);

  async function give(...files: string[]): Promise<void> {
    if (nobody !== undefined) for (const file of files) await chown(file, nobody.uid, nobody.gid);
  }
  async function write(name: string, text: string): Promise<string> {
    const file = join(directory, name);
    await writeFile(file, text, { mode: 0o600 });
    await give(file);
    return file;
  }
  function keygen(...words: string[]): string {
    const made = spawnSync(paths.keygen, words, { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr}`);
    return made.stdout;
  }
  async function makeHostKey(name: string): Promise<{ file: string; fingerprint: string }> {
    const file = join(directory, name);
    keygen('-q', '-t', 'ed25519', '-N', '', '-f', file);
    await give(file);
    const fingerprint = keygen('-l', '-f', `${file}.pub`).split(' ')[1] ?? '';
    return { file, fingerprint };
  }

  const userKey = join(directory, 'user');
  keygen('-q', '-t', 'ed25519', '-N', passphrase, '-f', userKey);
  const known = await write('authorized_keys', await readFile(`${userKey}.pub`, 'utf8'));
  const database = await write('passwords', `${user}:${password}:sshd\n`);
  const module = join(dirname(pamWrapper.path ?? ''), 'pam_wrapper', 'pam_matrix.so');
  await writeFile(
    join(pam, 'sshd'),
    ['auth', 'account', 'session'].map((kind) => `${kind} required ${module} passdb=${database}\n`).join(''),
  );
  await give(folder, pam, join(pam, 'sshd'));
  const port = await freePort();
  const environment = {
    PATH: process.env['PATH'],
    LD_PRELOAD: pamWrapper.path,
    PAM_WRAPPER: '1',
    PAM_WRAPPER_SERVICE_DIR: pam,
  };

  async function start(hostKey: string): Promise<() => Promise<void>> {
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${known}`,
      'PidFile none',
      'UsePAM yes',
      'PasswordAuthentication yes',
      'KbdInteractiveAuthentication no',
      'StrictModes no',
      'LogLevel QUIET',
      'Subsystem sftp internal-sftp',
    ];
    const file = await write('sshd_config', settings.join('\n'));
    const child = spawn('/bin/sh', ['-c', guard, 'sh', sshd.path ?? '', '-D', '-f', file], {
      cwd: '/',
      env: environment,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      ...(nobody === undefined ? {} : { uid: nobody.uid, gid: nobody.gid }),
    });
    const exited = once(child, 'exit');
    for (let attempt = 0; !(await accepts(port)); attempt += 1) {
      if (attempt > 200) throw new Error('sshd did not start');
      await setTimeout(25);
    }
    return async () => {
      child.stdin.end();
      await exited;
    };
  }

  const first = await makeHostKey('host');
  let stop = await start(first.file);
  t.after(async () => {
    await stop();
    // Files without permissions must be removed, too.
    spawnSync('chmod', ['-R', 'u+rwx', directory]);
    spawnSync('rm', ['-rf', directory]);
    await removeLeftovers();
  });
  return {
    config: { host: '127.0.0.1', port, user, password, hostKey: first.fingerprint, path: folder },
    folder,
    privateKey: await readFile(userKey, 'utf8'),
    passphrase,
    give,
    async changeHostKey() {
      await stop();
      const other = await makeHostKey(`host-${Date.now()}`);
      stop = await start(other.file);
      return other.fingerprint;
    },
  };
}

/** pam_wrapper leaves a folder for each killed server: removes those whose process is gone. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir('/tmp')) {
    if (!/^pam\..$/.test(name)) continue;
    const pid = Number(await readFile(`/tmp/${name}/pid`, 'utf8').catch(() => '0'));
    if (pid > 0 && !existsSync(`/proc/${pid}`)) await rm(`/tmp/${name}`, { recursive: true }).catch(() => {});
  }
}

function archOf(): string {
  return process.arch === 'arm64' ? 'aarch64' : 'x86_64';
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
