import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Worker } from './dataset-worker.ts';

type Answer = { status: number; text: string };
type Task = {
  status: string;
  targetDatasetId: string;
  counts: { in: number; kept: number; dropped: number; failed: number };
};

const data = '/api/v1/data-management';
const cleaning = '/api/v1/data-cleaning';
const runMs = 180_000;
const answerMs = 120_000;

/** Runs one cleaning task after the other: each must end by itself and process every line once. */
export function createCleaner({ url, token, random }: { url: string; token: string; random: Random }): Worker {
  const made: string[] = [];

  /** The first answer other than 503; a call that was cut off or answered 503 is repeated. */
  async function call(method: string, path: string, body?: string | FormData): Promise<Answer> {
    for (const deadline = performance.now() + answerMs; ; await pause(100)) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        },
        ...(body === undefined ? {} : { body }),
      }).then(
        async (received) => ({ status: received.status, text: await received.text() }),
        (error: unknown) => ({ status: 503, text: String(error) }),
      );
      if (answer.status !== 503 || performance.now() > deadline) return answer;
    }
  }

  async function expect<T>(status: number, ...parameters: Parameters<typeof call>): Promise<T> {
    const answer = await call(...parameters);
    if (answer.status !== status)
      throw new Error(`${parameters[0]} ${parameters[1]} → ${answer.status} ${answer.text.slice(0, 300)}`);
    return JSON.parse(answer.text) as T;
  }

  async function clean(): Promise<string[]> {
    const lines = Array.from({ length: random.integer(500, 4_000) }, (_, index) =>
      JSON.stringify({ text: `line   ${index % 700} ${'x'.repeat(random.integer(0, 40))}` }),
    );
    const source = await expect<{ id: string }>(201, 'POST', `${data}/datasets`, json({ name: 'rows', type: 'TEXT' }));
    made.push(`${data}/datasets/${source.id}`);
    const form = new FormData();
    form.append('files', new Blob([`${lines.join('\n')}\n`]), 'rows.jsonl');
    await expect(201, 'POST', `${data}/datasets/${source.id}/files/upload`, form);
    const steps = [
      { operatorId: 'exact-deduplicator' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'text-length-filter', params: { min: 20 } },
    ];
    const body = json({ name: `rows ${random.next()}`, sourceDatasetId: source.id, steps });
    const task = await expect<{ data: { id: string } }>(201, 'POST', `${cleaning}/tasks`, body);
    const path = `${cleaning}/tasks/${task.data.id}`;
    // The target must be deleted before its task, and the task before its source.
    made.push(path);
    // A call without an answer may have started the run.
    const started = await call('POST', `${path}/execute`);
    if (started.status !== 200 && started.status !== 409) return [`execute → ${started.status} ${started.text}`];
    for (const deadline = performance.now() + runMs; ; await pause(100)) {
      const { data: now } = await expect<{ data: Task }>(200, 'GET', path);
      if (now.status === 'RUNNING' || now.status === 'PENDING' || now.status === 'QUEUED') {
        if (performance.now() > deadline) return [`a run is ${now.status} after ${runMs / 1000} s`];
        continue;
      }
      made.push(`${data}/datasets/${now.targetDatasetId}`);
      return judge(now, lines);
    }
  }

  async function judge({ status, counts, targetDatasetId }: Task, lines: readonly string[]): Promise<string[]> {
    const texts = lines.map((line) => (JSON.parse(line) as { text: string }).text);
    const kept = [...new Set(texts)].map((text) => text.replaceAll(/ +/g, ' ')).filter((text) => text.length >= 20);
    if (status !== 'COMPLETED' || counts.in !== lines.length || counts.kept + counts.dropped !== counts.in)
      return [`a run over ${lines.length} lines ended as ${status} with ${JSON.stringify(counts)}`];
    const list = await expect<{ content: { id: string }[] }>(200, 'GET', `${data}/datasets/${targetDatasetId}/files`);
    const [file] = list.content;
    if (file === undefined || list.content.length !== 1) return [`a run made ${list.content.length} files of one`];
    const { text } = await call('GET', `${data}/datasets/${targetDatasetId}/files/${file.id}/download`);
    const result = text.trim() === '' ? 0 : text.trim().split('\n').length;
    return counts.kept === kept.length && result === kept.length
      ? []
      : [`${kept.length} lines are to be kept, ${counts.kept} were counted, ${result} are there`];
  }

  return {
    async work(isOver) {
      const wrong: string[] = [];
      try {
        do {
          wrong.push(...(await clean()));
        } while (wrong.length === 0 && !isOver());
      } catch (error) {
        wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
      return wrong.map((sentence) => `cleaning: ${sentence}`);
    },
    async clear() {
      for (const path of made.splice(0).reverse()) {
        const { status, text } = await call('DELETE', path);
        if (status >= 300 && status !== 404) throw new Error(`DELETE ${path} → ${status} ${text.slice(0, 200)}`);
      }
    },
  };
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
