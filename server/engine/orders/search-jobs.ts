import type { ShardJob } from './shard.ts';

export type SearchJob = ShardJob & { words: string };
