import { Alert } from '@mantine/core';
import { IconLoader } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/errors.ts';

/** Whether the service is rebuilding the index and will accept searches once it is complete. */
export function isIndexRebuilding(error: unknown): boolean {
  const code = 'KNOWLEDGE_BASE_INDEX_REBUILDING';
  return error instanceof ApiError && (error.code === code || error.sentence?.code === code);
}

/** Whether the new index beside the current one is incomplete, for example because documents were added meanwhile. */
export function isNextBuilding(error: unknown): boolean {
  const { code, params } = (error instanceof ApiError ? error.sentence : undefined) ?? {};
  return code === 'REBUILD_NOT_READY' && (params as { status?: unknown } | undefined)?.status === 'BUILDING';
}

/** The service's retry delay after a refusal, in milliseconds. */
export function retryDelayMs(error: unknown): number {
  return 1_000 * ((error instanceof ApiError ? error.retryAfterSeconds : undefined) ?? 2);
}

/** Says what the page is waiting for. */
export function WaitingForIndex({ children }: { children: ReactNode }) {
  return (
    <Alert color="blue" icon={<IconLoader />} role="status">
      {children}
    </Alert>
  );
}
