import type { Clock } from '../../kernel/clock.ts';
import type { Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Exports } from './exports.ts';
import type { Forecasts } from './forecasts.ts';
import type { SourceSamples } from './source-samples.ts';

/** Dependencies of the driver of synthesis runs. */
export type SynthesisServices = {
  db: Database;
  clock: Clock;
  blobs: Pick<BlobStore, 'shared'>;
  models: Pick<Models, 'chat' | 'registry'>;
  samples: SourceSamples;
  exports: Exports;
  forecasts: Forecasts;
};
