// One download of 2 GiB against nginx with sendfile. Both servers on the first core, curl on the second. The answers are
// compared byte for byte first. `TILTH_BENCH_PAIRS` (7) and `TILTH_BENCH_MIB` (2048) set the length.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { comparePairs } from './pairs.ts';
import { curl, growthDuring, missingPrograms, startService, timeDownload } from './running-service.ts';

const execute = promisify(execFile);
const sizeBytes = Number(process.env['TILTH_BENCH_MIB'] ?? 2048) * 1024 ** 2;
const gib = 1024 ** 3;

if ((await missingPrograms({ nginx: 'nginx-light', curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const served = join(folder, 'served');
    await mkdir(served);
    const file = join(served, 'file.bin');
    await writeContent(file);
    const nginx = await startNginx(folder, served);
    ends.push(nginx.stop);
    const service = await startService(join(folder, 'data'));
    ends.push(service.stop);
    const [uploaded] = JSON.parse(
      await curl([...service.headerArgs, '-F', `files=@${file}`, `${service.dataset}/files/upload`]),
    ) as { id: string }[];
    const url = `${service.dataset}/files/${uploaded?.id}/download`;
    await compareBytes(url, service.headerArgs, file);
    await compareBytes(nginx.url, [], file);
    const growthMib = await growthDuring(service, async () => {
      await comparePairs(
        `download of ${sizeBytes / gib} GiB against nginx sendfile`,
        {
          name: 'tilth',
          unit: 'GiB/s',
          run: async () => sizeBytes / gib / (await timeDownload(url, service.headerArgs, sizeBytes)),
        },
        {
          name: 'nginx',
          unit: 'GiB/s',
          run: async () => sizeBytes / gib / (await timeDownload(nginx.url, [], sizeBytes)),
        },
      );
    });
    console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}

/** Bytes without repetition, written piece by piece. */
async function writeContent(path: string): Promise<void> {
  const handle = await open(path, 'w');
  const piece = new BigUint64Array(1024 * 1024);
  let state = 1n;
  try {
    for (let at = 0; at < sizeBytes; at += piece.byteLength) {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
      for (let word = 0; word < piece.length; word++) piece[word] = state + BigInt(word);
      await handle.write(new Uint8Array(piece.buffer, 0, Math.min(piece.byteLength, sizeBytes - at)));
    }
  } finally {
    await handle.close();
  }
}

async function compareBytes(url: string, headerArgs: readonly string[], file: string): Promise<void> {
  await execute('bash', [
    '-c',
    'set -o pipefail; curl -sS --fail "${@:3}" "$1" | cmp - "$2"',
    'bash',
    url,
    file,
    ...headerArgs,
  ]);
}

async function startNginx(folder: string, root: string): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const configuration = join(folder, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off;
worker_processes 1;
user root;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path ${folder}/nginx-body;
  proxy_temp_path ${folder}/nginx-proxy;
  fastcgi_temp_path ${folder}/nginx-fastcgi;
  uwsgi_temp_path ${folder}/nginx-uwsgi;
  scgi_temp_path ${folder}/nginx-scgi;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`,
  );
  const child = spawn('taskset', ['-c', '0', 'nginx', '-c', configuration, '-p', folder], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/file.bin`;
  await curl(['--retry', '20', '--retry-connrefused', '--retry-delay', '1', '-I', url]);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
