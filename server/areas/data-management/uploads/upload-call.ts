import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import { findDatasetStatus } from '../queries/uploads.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadSessions } from './upload-sessions.ts';

/** One call with bytes of an upload: its session and its rate limit. */
export type UploadCall = {
  /** The session of the call, once entered. */
  readonly session: UploadSession | undefined;
  /** Joins the users of a session, which keeps it in memory until `leave`; throws UPLOAD_NOT_FOUND or DATASET_NOT_FOUND. */
  enter(uploadId: string): Promise<UploadSession>;
  leave(): void;
  /**
   * Counts the call, once: against its upload, or else against the caller's rate limit. `uploadId` names the upload of a call
   * that never entered. Throws when the limit is exceeded.
   */
  count(uploadId?: string): void;
};

export function createUploadCall(
  { db, sessions }: { db: Database; sessions: UploadSessions },
  { datasetId, charge }: { datasetId: string; charge: () => void },
): UploadCall {
  const state: { session: UploadSession | undefined; isInside: boolean; isCounted: boolean } = {
    session: undefined,
    isInside: false,
    isCounted: false,
  };

  async function findSession(uploadId: string): Promise<UploadSession> {
    const session = sessions.peek(uploadId) ?? (await sessions.find(uploadId));
    if (session !== undefined && session.upload.dataset_id === datasetId && !session.ended) return session;
    if ((await findDatasetStatus(db.read, datasetId)) === undefined)
      throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    throw dataErrors.UPLOAD_NOT_FOUND({ id: uploadId }, { field: 'reqId' });
  }

  function count(uploadId?: string): void {
    if (state.isCounted) return;
    state.isCounted = true;
    const known = uploadId === undefined ? undefined : sessions.peek(uploadId);
    const session = state.session ?? (known?.upload.dataset_id === datasetId ? known : undefined);
    if (session !== undefined && ++session.calls <= session.allowedCalls) return;
    charge();
  }

  return {
    get session() {
      return state.session;
    },
    async enter(uploadId) {
      try {
        state.session ??= await findSession(uploadId);
      } catch (error) {
        count();
        throw error;
      }
      if (!state.isInside) state.session.users++;
      state.isInside = true;
      count();
      return state.session;
    },
    leave() {
      if (state.isInside && state.session !== undefined) state.session.users--;
      state.isInside = false;
    },
    count,
  };
}
