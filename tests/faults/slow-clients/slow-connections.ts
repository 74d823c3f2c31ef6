// Many slow connections in a process of their own, so that they don't slow down whoever measures: started with a plan as
// JSON, tells its parent how many are open, and ends with the parent's word.
import { connect, type Socket } from 'node:net';

/** What each connection sends, and how. */
export type SlowPlan = {
  port: number;
  count: number;
  /** One request for each connection; `#` in it becomes the connection's number, five digits from 10000 on. */
  request: string;
  /** Bytes of the request that are sent at once; the rest goes a byte a beat, or not at all. */
  atOnceBytes: number;
  beatMs: number | undefined;
  /** How much of the answer is read: all that comes, a little a beat, or nothing. */
  reading: 'all' | 'slowly' | 'nothing';
};

/** What the parent hears, a few times a second. */
export type SlowReport = { opened: number; open: number; answered: Record<string, number> };

/** What the parent says: the first so many are sent to their end, the others hang up. */
export type SlowWord = { finish: number };

const opensAtOnce = 500;
const reportMs = 100;

type Connection = { socket: Socket; request: Buffer; sentBytes: number; begun: boolean };

const send = process.send?.bind(process);
if (send !== undefined) run(JSON.parse(process.argv[2] ?? '{}') as SlowPlan, send);

function run(plan: SlowPlan, tell: (report: SlowReport) => void): void {
  const connections: Connection[] = [];
  const answered: Record<string, number> = {};
  let opened = 0;
  let open = 0;

  function begin(number: number): void {
    const request = Buffer.from(plan.request.replaceAll('#', String(number + 10_000)));
    const socket = connect(plan.port, '127.0.0.1');
    const connection = { socket, request, sentBytes: Math.min(plan.atOnceBytes, request.length), begun: false };
    connections.push(connection);
    if (plan.reading !== 'all') socket.pause();
    socket.on('connect', () => {
      opened += 1;
      connection.begun = true;
      open += 1;
      socket.write(request.subarray(0, connection.sentBytes));
      if (connections.length < plan.count) begin(connections.length);
    });
    socket.on('data', (piece: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(piece.toString('latin1', 0, 16))?.[1];
      if (status !== undefined) answered[status] = (answered[status] ?? 0) + 1;
    });
    socket.on('error', () => {});
    socket.on('close', () => (open -= 1));
  }

  function beat(): void {
    for (const connection of connections) {
      const { socket, request, sentBytes, begun } = connection;
      if (socket.destroyed || !begun) continue;
      // A byte is kept back: nothing that drips is ever whole.
      if (sentBytes < request.length - 1) {
        socket.write(request.subarray(sentBytes, sentBytes + 1));
        connection.sentBytes += 1;
      }
      if (plan.reading === 'slowly') socket.read(64 * 1024);
    }
  }

  process.on('message', ({ finish }: SlowWord) => {
    for (const [index, connection] of connections.entries()) {
      const { socket, request, sentBytes } = connection;
      // Nothing more drips behind the end.
      connection.sentBytes = request.length;
      if (index < finish) socket.write(request.subarray(sentBytes));
      else socket.destroy();
    }
  });
  process.on('disconnect', () => process.exit());
  for (let number = 0; number < Math.min(opensAtOnce, plan.count); number += 1) begin(number);
  if (plan.beatMs !== undefined) setInterval(beat, plan.beatMs);
  setInterval(() => tell({ opened, open, answered }), reportMs);
}
