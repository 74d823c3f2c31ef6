import type { FastifyReply } from 'fastify';

/** Aborted when the caller goes before its answer was written, so that work for nobody ends. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const { raw } = reply;
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => void (raw.writableFinished || gone.abort()));
  return gone.signal;
}
