import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Api } from './api.ts';

export type AreaTask = { id: string; status: string; error: string | null; lastRunId: string; targetDatasetId: string };

/** Creates a task of an area such as `data-cleaning`, executes it and waits for its result; fails unless it is complete. */
export async function runTask(service: Pick<Api, 'api'>, area: string, definition: object): Promise<AreaTask> {
  const created = await service.api<{ data: AreaTask }>('POST', `/${area}/tasks`, definition);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const path = `/${area}/tasks/${created.body.data.id}`;
  assert.equal((await service.api('POST', `${path}/execute`, {})).status, 200);
  for (;;) {
    const { data } = (await service.api<{ data: AreaTask }>('GET', path)).body;
    if (data.status !== 'RUNNING') {
      assert.equal(data.status, 'COMPLETED', JSON.stringify(data));
      return data;
    }
    await setTimeout(20);
  }
}
