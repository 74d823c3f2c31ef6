// Runs in which something of each kind goes wrong, for pages that show it.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { TestContext } from 'node:test';
import { startFileServer } from '../fakes/file-server.ts';
import type { RunningApp } from '../support/server.ts';

/** Runs of synthesis that failed in part and were stopped, and a template with columns of each kind; returns all their pages. */
export async function synthesiseBadly(app: RunningApp): Promise<{ places: string[]; failed: string; stopped: string }> {
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: '合成来源 ✓',
    type: 'TEXT',
  });
  const form = new FormData();
  const document = '圆盘耙切断高大杂草的根系，并把土块打碎。\n\n播种前须翻松上层土壤，播种深度约为三到五厘米。\n';
  form.append('files', new File([document], '土壤.md'));
  form.append('files', new File(['{"text":"短"}\n'], '行.jsonl'));
  form.append('files', new File(['编号,正文\n1,探针在正午显示十八点四度\n'], '记录.csv'));
  await app.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const { body: template } = await app.api<{ data: { id: string } }>('POST', '/data-synthesis/templates', {
    name: '多列 ✓',
    type: 'CUSTOM',
    columns: [
      { name: 'reader', kind: 'SAMPLER', sampler: 'CATEGORY', values: [{ value: '农民' }] },
      { name: 'day', kind: 'SAMPLER', sampler: 'DATE', from: '2026-01-01', to: '2026-12-31', hidden: true },
      { name: 'title', kind: 'EXPRESSION', expression: 'reader + "：" + day' },
      { name: 'pair', kind: 'MODEL', prompt: '{{text}}' },
      { name: 'form', kind: 'VALIDATOR', of: ['pair'], pattern: '不会出现' },
    ],
  });
  const begin = async (given: object): Promise<{ task: string; run: string; record: string }> => {
    const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-synthesis/tasks', {
      templateId: 'qa-pairs-zh',
      sourceDatasetId: dataset.id,
      model: 'builtin-cloze',
      ...given,
    });
    const tasks = `/data-synthesis/tasks/${task.data.id}`;
    for (;;) {
      const { body } = await app.api<{ data: { status: string; lastRunId: string } }>('GET', tasks);
      if (body.data.status === 'RUNNING') await new Promise((resolve) => setTimeout(resolve, 50));
      else {
        const { body: records } = await app.api<{ data: { content: { id: string }[] } }>(
          'GET',
          `${tasks}/records?size=1`,
        );
        const address = `/synthesis/${task.data.id}`;
        const run = `${address}/runs/${body.data.lastRunId}`;
        return { task: address, run, record: `${run}/samples?sample=${records.data.content[0]?.id ?? ''}` };
      }
    }
  };
  const failed = await begin({ name: '部分失败 ✓' });
  const stopped = await begin({
    name: '预算停止 ✓',
    perSample: 2,
    budget: { maxCalls: 1 },
  });
  const columns = await begin({ name: '多列任务 ✓', templateId: template.data.id, input: { prefix: '土壤.md' } });
  const places = [
    '/synthesis',
    '/synthesis/templates',
    ...['qa-pairs-en', 'dialogue-zh', template.data.id].map((id) => `/synthesis/templates/${id}?dataset=${dataset.id}`),
    `/synthesis/new?dataset=${dataset.id}`,
    `/synthesis/new?template=dialogue-en`,
    ...[failed, stopped, columns].flatMap(({ task, run, record }) => [task, `${task}/edit`, run, record]),
    ...['/samples', '/log', '/outputs'].map((tab) => failed.run + tab),
  ];
  return { places, failed: failed.run, stopped: stopped.run };
}

/** A collection in which one file is fetched and one is missing. */
export async function collectBadly(
  t: TestContext,
  app: RunningApp,
): Promise<{ collection: string; collectionRun: string }> {
  const server = await startFileServer(t);
  server.answers.set('/rows.jsonl', '{"text":"a first row"}\n');
  const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-collection/tasks', {
    name: '采集 ✓',
    connector: {
      type: 'http-files',
      config: { urls: ['rows.jsonl', 'gone.txt'].map((name) => `${server.url}/${name}`) },
    },
  });
  const runId = await executed(app, `/data-collection/tasks/${task.data.id}`);
  const collection = `/collection/${task.data.id}`;
  return { collection, collectionRun: `${collection}/runs/${runId}` };
}

/** The page of a run that profiles a dataset. */
export async function profileAll(app: RunningApp, sourceDatasetId: string): Promise<string> {
  const { body } = await app.api<{ data: { run: { id: string } } }>('POST', '/data-cleaning/profile', {
    sourceDatasetId,
    input: { textField: 'text' },
  });
  return `/cleaning/profiles/${body.data.run.id}`;
}

/** Runs a task to its end; returns the id of the run. */
async function executed(app: RunningApp, task: string): Promise<string> {
  const { body: run } = await app.api<{ data: { id: string } }>('POST', `${task}/execute`, {});
  for (;;) {
    const { body } = await app.api<{ data: { status: string } }>('GET', `${task}/runs/${run.data.id}`);
    if (body.data.status === 'COMPLETED') return run.data.id;
    assert.ok(['QUEUED', 'RUNNING'].includes(body.data.status), body.data.status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A dataset in which rows fail, rows are dropped and a picture is skipped, cleaned once. */
export async function cleanBadly(
  app: RunningApp,
  name: string,
): Promise<{ run: string; task: string; dataset: string }> {
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
  const rows = Array.from({ length: 30 }, (_, row) => {
    if (row === 5) return 'broken';
    if (row === 6) return '{"note":"none"}';
    if (row === 7) return '{"text":3}';
    if (row === 16) return '{"text":"the seventeenth  row"}';
    return JSON.stringify({ text: row % 2 === 0 ? `row  ${row} of the field` : 'x' });
  });
  const form = new FormData();
  const files: Record<string, string | Uint8Array<ArrayBuffer>> = {
    'rows.jsonl': rows.join('\n'),
    'latin.txt': Uint8Array.from(Buffer.from('caf\u00e9 et cr\u00e8me dans les champs de seigle', 'latin1')),
    'field.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
    'broken.pdf': 'no PDF at all',
    // "中文内容" in GB18030, often enough to be distinguished from other encodings.
    'sure.txt': Uint8Array.from(Buffer.from('d6d0cec4c4dac8dd'.repeat(40), 'hex')),
    'zipped.jsonl.gz': Uint8Array.from(gzipSync('{"text":"压缩文件中的一行"}\n')),
  };
  for (const [file, content] of Object.entries(files)) form.append('files', new File([content], file));
  await app.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: `${name} ✓`,
    sourceDatasetId: dataset.id,
    input: { textField: 'text' },
    steps: [
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'text-length-filter', params: { min: 4 } },
      { operatorId: 'exact-deduplicator' },
    ],
  });
  const tasks = `/data-cleaning/tasks/${task.data.id}`;
  return {
    run: `/cleaning/${task.data.id}/runs/${await executed(app, tasks)}`,
    task: `/cleaning/${task.data.id}`,
    dataset: dataset.id,
  };
}
