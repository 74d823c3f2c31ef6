// Many slow connections in their own process, so that they don't slow down the measuring one: started with a plan as
// JSON, reports to its parent how many are open, and ends when the parent says so.
import { connect, type Socket } from 'node:net';

/** What each connection sends, and how. */
export type SlowPlan = {
  port: number;
  count: number;
  /** One request per connection; each `#` in it is replaced by the connection's number, five digits from 10000 on. */
  request: string;
  /** Bytes of the request that are sent at once; the rest is sent one byte per beat, or not at all. */
  atOnceBytes: number;
  beatMs: number | undefined;
  /** How much of the answer is read: everything, a little per beat, or nothing. */
  reading: 'all' | 'slowly' | 'nothing';
};

/** A report to the parent, a few times a second. */
export type SlowReport = { opened: number; open: number; answered: Record<string, number> };

/** The parent's command: the first connections up to this number send the rest, the others disconnect. */
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
      // One byte is held back, so that no dripping request is ever complete.
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
      // Nothing more is dripped after the end.
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
