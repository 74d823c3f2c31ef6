import { runSentences, type Reason } from '../../../kernel/sentences/index.ts';

/** Resources that a task occupies in the cluster while it runs. */
export type RemoteResources = { cpus: number; memoryBytes: number; gpus: number };

export type OnStandstill = (message: Reason, isOver: boolean) => void;

export type StandstillWatch = {
  /** Reports once why no answers come. `hasRoom`: whether a node of the cluster can ever do the work. */
  watch(state: { isIdle: boolean; hasRoom: boolean }): void;
  /** An answer has come: reports that they come again, if a standstill was reported. */
  end(): void;
};

/** Notices when no answers come from a cluster. */
export function createStandstillWatch({
  resources,
  standstillMs,
  onStandstill,
}: {
  resources: RemoteResources;
  /** Time without an answer before a report; an eighth of it if no node has room for the work. */
  standstillMs: number;
  onStandstill: OnStandstill | undefined;
}): StandstillWatch {
  /** Start of the time during which orders were under way but none was answered. */
  let silentSince = performance.now();
  let isReported = false;
  return {
    watch({ isIdle, hasRoom }) {
      if (isIdle) silentSince = performance.now();
      const silentMs = performance.now() - silentSince;
      if (isReported) return;
      if (!hasRoom && silentMs >= standstillMs / 8) {
        const { cpus, memoryBytes, gpus } = resources;
        const memory = Math.ceil(memoryBytes / 1024 / 1024);
        isReported = true;
        onStandstill?.(runSentences.NO_ROOM_IN_CLUSTER.reason({ cpus, memory, gpus }), false);
      } else if (silentMs >= standstillMs) {
        isReported = true;
        onStandstill?.(runSentences.CLUSTER_SILENT.reason({ seconds: Math.round(silentMs / 1000) }), false);
      }
    },
    end() {
      silentSince = performance.now();
      if (isReported) onStandstill?.(runSentences.CLUSTER_WORKS.reason({}), true);
      isReported = false;
    },
  };
}
