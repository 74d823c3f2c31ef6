import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../tests/support/free-port.ts';
import { readCpuTimes, type CpuTimes } from './cpu-times.ts';
import { curl, serverCores } from './running-service.ts';

/** Serves a folder with sendfile, and accepts files by PUT; on the first core, or the given ones. `folder` is for nginx's own files. */
export async function startNginx(
  folder: string,
  root: string,
  cores = serverCores,
): Promise<{ url: string; cpuTimes(): Promise<CpuTimes>; stop(): Promise<void> }> {
  const port = await freePort();
  const configuration = join(folder, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off;
master_process off;
user root;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_buffer_size 1m;
  client_body_temp_path ${folder}/nginx-body;
  proxy_temp_path ${folder}/nginx-proxy;
  fastcgi_temp_path ${folder}/nginx-fastcgi;
  uwsgi_temp_path ${folder}/nginx-uwsgi;
  scgi_temp_path ${folder}/nginx-scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    location / { dav_methods PUT; create_full_put_path on; }
  }
}
`,
  );
  const child = spawn('taskset', ['-c', cores, 'nginx', '-c', configuration, '-p', folder], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  // Any status will do: the folder itself can't be listed.
  await curl(['--no-fail', '--retry', '20', '--retry-connrefused', '--retry-delay', '1', '-I', `${url}/`]);
  return {
    url,
    cpuTimes: () => readCpuTimes(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
