import { Alert } from '@mantine/core';
import { IconLoader } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/errors.ts';

/** The service makes the index again, and answers what is asked of it when it is complete. */
export function isIndexRebuilding(error: unknown): boolean {
  const code = 'KNOWLEDGE_BASE_INDEX_REBUILDING';
  return error instanceof ApiError && (error.code === code || error.sentence?.code === code);
}

/** The new index beside the one in use is not complete, as when documents came meanwhile. */
export function isNextBuilding(error: unknown): boolean {
  const { code, params } = (error instanceof ApiError ? error.sentence : undefined) ?? {};
  return code === 'REBUILD_NOT_READY' && (params as { status?: unknown } | undefined)?.status === 'BUILDING';
}

/** When to ask again after a refusal, as the service says. */
export function retryDelayMs(error: unknown): number {
  return 1_000 * ((error instanceof ApiError ? error.retryAfterSeconds : undefined) ?? 2);
}

/** Says what is waited for. */
export function WaitingForIndex({ children }: { children: ReactNode }) {
  return (
    <Alert color="blue" icon={<IconLoader />} role="status">
      {children}
    </Alert>
  );
}
