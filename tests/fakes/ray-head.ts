import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from '../support/server.ts';

type Job = {
  submission_id: string;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'STOPPED';
  message: string;
  end_time: number | null;
  metadata: Record<string, string>;
  entrypoint: string;
  runtime_env: { env_vars: Record<string, string> };
};

/** A faulty response of the head, instead of carrying out the call. */
export type HeadFault = { status: number; body: string } | 'cut' | 'cut after it is done';

export type RayHead = {
  url: string;
  jobs: Map<string, Job>;
  /** `POST /api/jobs/` and the like, in order. */
  calls: string[];
  /** Decides for each call; undefined lets it through. */
  decide: (call: string) => HeadFault | undefined;
  /** Called with each submitted job. */
  onJob: (job: Job) => void;
  end(job: Job, status: Job['status'], message: string): void;
};

/** Ray's REST API for jobs; the test plays the part of the jobs. */
export async function startRayHead(t: Ending, token: string): Promise<RayHead> {
  const head: RayHead = {
    url: '',
    jobs: new Map(),
    calls: [],
    decide: () => undefined,
    onJob: () => {},
    end(job, status, message) {
      Object.assign(job, { status, message, end_time: Date.now() });
    },
  };

  async function perform(method: string, path: string, request: IncomingMessage): Promise<[number, unknown]> {
    if (request.headers.authorization === undefined) return [401, 'Unauthorized: Missing authentication token'];
    if (request.headers.authorization !== `Bearer ${token}`) return [403, 'Forbidden: Invalid authentication token'];
    const [, id = '', action] = /^\/api\/jobs\/([^/]*)(?:\/(\w+))?$/.exec(path) ?? [];
    if (method === 'GET' && id === '') return [200, [...head.jobs.values()]];
    if (method === 'POST' && id === '') {
      const job = { status: 'RUNNING', message: '', end_time: null, ...((await bodyOf(request)) as object) } as Job;
      // Ray reports this as a traceback with status 500.
      if (head.jobs.has(job.submission_id))
        return [500, `Traceback\nRequest failed with status code 400: Job ${job.submission_id} already exists.\n.`];
      head.jobs.set(job.submission_id, job);
      head.onJob(job);
      return [200, { submission_id: job.submission_id }];
    }
    const job = head.jobs.get(decodeURIComponent(id));
    if (job === undefined) return [404, `Job ${id} does not exist`];
    if (method === 'POST' && action === 'stop') {
      if (job.status === 'RUNNING') head.end(job, 'STOPPED', 'Job was intentionally stopped.');
      return [200, { stopped: true }];
    }
    if (method === 'DELETE') return [200, { deleted: head.jobs.delete(job.submission_id) }];
    return [200, job];
  }

  const server = createServer((request, response) => {
    const { method = '', url: path = '' } = request;
    const call = `${method} ${path}`;
    head.calls.push(call);
    const fault = head.decide(call);
    if (fault === 'cut') return void request.socket.destroy();
    if (typeof fault === 'object') return void response.writeHead(fault.status).end(fault.body);
    void perform(method, path, request).then(([status, body]) => {
      if (fault === 'cut after it is done') request.socket.destroy();
      else response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  head.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return head;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString());
}
