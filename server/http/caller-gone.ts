import type { FastifyReply } from 'fastify';

/** Aborted when the client disconnects before the answer is written, so that its work can stop. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const { raw } = reply;
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => void (raw.writableFinished || gone.abort()));
  return gone.signal;
}
