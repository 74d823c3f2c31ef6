import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLifetime } from './lifetime.ts';

function recorded(failing?: string) {
  const events: string[] = [];
  const lifetime = createLifetime();
  for (const name of ['database', 'runs', 'server'])
    lifetime.add({
      async start() {
        if (name === failing) throw new Error(`${name} does not start`);
        events.push(`start ${name}`);
      },
      stop: () => void events.push(`stop ${name}`),
    });
  return { lifetime, events };
}

test('parts are stopped in the reverse order of their starts, once', async () => {
  const { lifetime, events } = recorded();
  await lifetime.start();
  await lifetime.stop();
  await lifetime.stop();
  assert.deepEqual(events, [
    'start database',
    'start runs',
    'start server',
    'stop server',
    'stop runs',
    'stop database',
  ]);
});

test('when a part does not start, all that is open is stopped, and the cause is passed on', async () => {
  const { lifetime, events } = recorded('runs');
  await assert.rejects(lifetime.start(), { message: 'runs does not start' });
  assert.deepEqual(events, ['start database', 'stop server', 'stop runs', 'stop database']);
});

test('what was opened is stopped without a start', async () => {
  const { lifetime, events } = recorded();
  await lifetime.stop();
  assert.deepEqual(events, ['stop server', 'stop runs', 'stop database']);
});

test('a part that fails to stop keeps none of the others open, and is told', async () => {
  const { lifetime, events } = recorded();
  lifetime.add({ stop: () => Promise.reject(new Error('stuck')) });
  lifetime.add({ stop: () => void events.push('stop last') });
  await assert.rejects(lifetime.stop(), { message: 'stuck' });
  assert.deepEqual(events, ['stop last', 'stop server', 'stop runs', 'stop database']);
});
