// The thread of `server/processes/thread-calls.test.ts`.
import { parentPort } from 'node:worker_threads';
import { answerRequests } from '../../server/processes/answer-requests.ts';

export type Asked =
  | { do: 'echo'; text: string }
  | { do: 'take'; bytes: Uint8Array<ArrayBuffer> }
  | { do: 'throw' | 'exit' | 'crash' | 'chatter' }
  | { do: 'hold'; until: Int32Array };

answerRequests<unknown>(
  (asked: Asked) => {
    switch (asked.do) {
      case 'echo':
        return asked.text;
      case 'take':
        return asked.bytes;
      case 'throw':
        throw new RangeError('It can not');
      case 'exit':
        return process.exit(3);
      case 'crash':
        process.nextTick(() => {
          throw new Error('It broke');
        });
        return new Promise(() => {});
      case 'chatter':
        parentPort?.postMessage({ 'watch:import': ['file:///a.ts'] });
        parentPort?.postMessage('words');
        return 'done';
      case 'hold':
        Atomics.wait(asked.until, 0, 0);
        return 'held';
    }
  },
  (answer) => (answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : []),
);
