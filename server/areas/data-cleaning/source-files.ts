import type { InputFile } from '../../engine/index.ts';
import type { SourceFile } from '../data-management/index.ts';

/** A source file as the engine's input; an unreadable one carries the reason. */
export function inputOf({ status, ...file }: SourceFile): InputFile {
  return status === 'COMPLETED' ? file : { ...file, problem: `The file's status is ${status}` };
}
