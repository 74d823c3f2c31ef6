import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import type { Ending } from './server.ts';
import { findOnPath, findTool, type Tool } from './tools.ts';

/** Debian installs it in /usr/sbin, which is not on every PATH. */
export const nginx: Tool = {
  ...findTool('nginx'),
  path: findTool('nginx').path ?? findOnPath('nginx', ['/usr/sbin', '/usr/local/sbin']),
};
export const openssl: Tool = findTool('openssl');

const page = fileURLToPath(new URL('../../docs/reverse-proxy.md', import.meta.url));

/** The server block of docs/reverse-proxy.md, for a service on another port. */
async function documentedServer(serviceUrl: string, files: { certificate: string; key: string; port: number }) {
  const block = /```nginx\n([\s\S]*?)```/.exec(await readFile(page, 'utf8'))?.[1];
  if (block === undefined) throw new Error('docs/reverse-proxy.md shows no server block');
  const changes: readonly (readonly [from: string, to: string])[] = [
    ['listen 443 ssl;', `listen 127.0.0.1:${files.port} ssl;`],
    ['/etc/ssl/data.example.com.pem', files.certificate],
    ['/etc/ssl/data.example.com.key', files.key],
    ['http://127.0.0.1:7700', serviceUrl],
  ];
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The server block of docs/reverse-proxy.md has no ${from}`);
    return text.replaceAll(from, to);
  }, block);
}

/**
 * Starts nginx with TLS in front of a service, as docs/reverse-proxy.md describes; returns its address. It ends with
 * the test. `takesPathAway`: the variant that strips the prefix from forwarded addresses.
 */
export async function startNginx(
  t: Ending,
  paths: { nginx: string; openssl: string },
  { serviceUrl, takesPathAway }: { serviceUrl: string; takesPathAway: boolean },
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-nginx-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'cert.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = spawnSync(
    paths.openssl,
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject],
    { encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);

  const port = await freePort();
  const server = await documentedServer(serviceUrl, { certificate, key, port });
  const passed = takesPathAway ? server.replace(`proxy_pass ${serviceUrl};`, `proxy_pass ${serviceUrl}/;`) : server;
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = [
    'daemon off;',
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'worker_processes 1;',
    `pid ${join(directory, 'nginx.pid')};`,
    'events { worker_connections 512; }',
    'http {',
    'access_log off;',
    ...folders.map((name) => `${name}_temp_path ${join(directory, name)};`),
    passed,
    '}',
  ].join('\n');
  await writeFile(join(directory, 'nginx.conf'), configuration);

  const child = spawn(paths.nginx, ['-p', directory, '-e', 'stderr', '-c', join(directory, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  t.after(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  while (child.exitCode === null) {
    if (await accepts(port)) return `https://127.0.0.1:${port}`;
    await setTimeout(50);
  }
  throw new Error(`nginx ended with ${child.exitCode}: ${complaints}`);
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
