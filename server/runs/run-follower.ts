import { crc32 } from 'node:zlib';
import type { FeedEvent, FeedListener } from '../kernel/event-feed.ts';
import type { RunLogsTable } from '../storage/database/tables/runs.ts';
import type { Run } from './run.ts';
import { toLogLine } from './run-log.ts';

/** Position of a listener: the last log line and a fingerprint of the state it received (empty: none). */
export type RunPosition = { seq: number; state: string };

/** A listener of a run and its position. */
export type Follower = { seq: number; state: string; isGone: boolean; readonly listener: FeedListener };

/** Form of an event's id: `12-9f3a01bc`. */
export const runEventIdPattern = '^[0-9]{1,15}-([0-9a-f]{8})?$';

/** Log lines read per query. */
export const linesAtOnce = 500;

/** Reads an event's id, which matches the pattern. */
export function parseRunEventId(id: string): RunPosition {
  const [seq, state = ''] = id.split('-');
  return { seq: Number(seq), state };
}

export function isEnded({ status }: Pick<Run, 'status'>): boolean {
  return status !== 'QUEUED' && status !== 'RUNNING';
}

/** Eight hexadecimal digits that change with any visible change of a run. */
export function fingerprintOf(run: Run): string {
  return crc32(JSON.stringify(shown(run)))
    .toString(16)
    .padStart(8, '0');
}

export function lineEvent(line: RunLogsTable, state: string): FeedEvent {
  return { id: `${line.seq}-${state}`, name: 'log', data: JSON.stringify(toLogLine(line)) };
}

/** `progress`, or `end` for a run that has ended. */
export function stateEvent(run: Run, seq: number): FeedEvent {
  const name = isEnded(run) ? 'end' : 'progress';
  return { id: `${seq}-${fingerprintOf(run)}`, name, data: JSON.stringify(shown(run)) };
}

export function sendLine(follower: Follower, event: FeedEvent): Promise<void> | undefined {
  follower.seq = parseRunEventId(event.id).seq;
  return follower.listener.send(event);
}

export function sendState(follower: Follower, event: FeedEvent): Promise<void> | undefined {
  follower.state = parseRunEventId(event.id).state;
  return follower.listener.send(event);
}

/** Tells a follower once that no more events follow. */
export function end(follower: Follower): void {
  if (follower.isGone) return;
  follower.isGone = true;
  follower.listener.end();
}

/** A run as the API shows it. */
function shown(run: Run): Omit<Run, 'details'> {
  const { details: _details, ...rest } = run;
  return rest;
}
