import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { NewOutput, TaskOutput } from './schemas/tasks.ts';

export const defaultShardBytes = 256 << 20;

export function parseOutput({ format, shardBytes, folderBy }: NewOutput = { format: 'SOURCE' }): TaskOutput {
  if (format !== 'SOURCE') {
    return { format, shardBytes: shardBytes ?? defaultShardBytes, folderBy: folderBy ?? null };
  }
  if (shardBytes !== undefined)
    throw invalid('output.shardBytes', parameterProblems.MUST_NOT_BE_WITH_FORMAT.reason({ format: 'SOURCE' }));
  if (folderBy !== undefined)
    throw invalid('output.folderBy', parameterProblems.MUST_NOT_BE_WITH_FORMAT.reason({ format: 'SOURCE' }));
  return { format, shardBytes: null, folderBy: null };
}
