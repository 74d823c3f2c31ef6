import { exitCodes, type ExitCode } from './cli-problem.ts';
import type { CliContext } from './cli-context.ts';
import { findById, getByName, getDataset, listAll } from './datasets.ts';
import { follow } from './following.ts';
import { apiPath } from './service-client.ts';

export type CleanCommand = {
  template: string;
  dataset: string;
  name: string | undefined;
  target: string | undefined;
  isFollowed: boolean;
};

const area = 'data-cleaning';
const mostNameLength = 100;

/** `clean`: creates a cleaning task from a template, starts it, and optionally follows its run. */
export async function clean(command: CleanCommand, context: CliContext): Promise<ExitCode> {
  const { client, output } = context;
  const dataset = await getDataset(client, command.dataset);
  const parts = [area, 'templates'];
  const template =
    (await findById<{ id: string; name: string }>(client, parts, command.template)) ??
    (await getByName(
      listAll<{ id: string; name: string }>(client, parts, { keyword: command.template }),
      'template',
      command.template,
    ));
  const json = {
    name: command.name ?? `${dataset.name}: ${template.name}`.slice(0, mostNameLength),
    sourceDatasetId: dataset.id,
    templateId: template.id,
    ...(command.target === undefined ? {} : { targetDatasetName: command.target }),
  };
  const task = await client.call<{ id: string }>('POST', apiPath([area, 'tasks']), { body: { json } });
  const run = await client.call<{ id: string }>('POST', apiPath([area, 'tasks', task.id, 'execute']), {
    body: { json: {} },
  });
  if (!command.isFollowed) {
    output.show({ taskId: task.id, runId: run.id }, () => `task ${task.id}, run ${run.id}\n`);
    return exitCodes.done;
  }
  output.note(`task ${task.id}, run ${run.id}`);
  return follow(run.id, context);
}
