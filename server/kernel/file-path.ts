import { invalid } from './errors.ts';
import { parameterProblems } from './parameter-problems.ts';

export const maxSegmentBytes = 255;
export const maxPathBytes = 4096;

/**
 * Validates the path of a file inside a dataset: relative, `/`-separated, at most 4,096 bytes, each segment 1..255 bytes.
 * Throws INVALID_PARAMETER naming `field` for everything that could leave the dataset or can't be a name:
 * absolute paths, empty, `.` and `..` segments, backslashes, control characters, lone surrogates.
 * Invalid UTF-8 was already refused when the bytes were decoded.
 */
export function parseFilePath(field: string, path: string): string {
  if (path === '') throw invalid(field, parameterProblems.MUST_NOT_BE_EMPTY.reason({}));
  if (!path.isWellFormed()) throw invalid(field, parameterProblems.IS_NO_UTF8.reason({}));
  if (Buffer.byteLength(path) > maxPathBytes)
    throw invalid(field, parameterProblems.IS_LONGER_THAN.reason({ limit: maxPathBytes }));
  if (path.startsWith('/')) throw invalid(field, parameterProblems.MUST_BE_RELATIVE.reason({}));
  if (path.includes('\\')) throw invalid(field, parameterProblems.MUST_NOT_HOLD_BACKSLASH.reason({}));
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path))
    throw invalid(field, parameterProblems.MUST_NOT_HOLD_CONTROLS.reason({}));
  for (const segment of path.split('/')) checkSegment(field, segment);
  return path;
}

/** One segment of a path: the name of a file or folder. */
export function parseFileName(field: string, name: string): string {
  if (name.includes('/')) throw invalid(field, parameterProblems.MUST_BE_ONE_NAME.reason({}));
  return parseFilePath(field, name);
}

/** A folder given by a client: empty or `/` is the root (`''`); one trailing slash is allowed. */
export function parsePrefix(field: string, prefix: string): string {
  if (prefix === '' || prefix === '/') return '';
  return parseFilePath(field, prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Joins a parsed prefix and a parsed path; throws INVALID_PARAMETER if the result is too long. */
export function joinPath(field: string, prefix: string, path: string): string {
  return prefix === '' ? path : parseFilePath(field, `${prefix}/${path}`);
}

/** Last segment of a path. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Folder of a path, `''` for the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Folders that contain a path, outermost first, without the root: `a/b/c` → `a`, `a/b`. */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) ancestors.push(path.slice(0, at));
  return ancestors;
}

/** Lower-case extension without the dot, `''` if there is none; a leading dot does not start an extension. */
export function fileTypeOf(path: string): string {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** `a/b.txt`, 2 → `a/b (2).txt`; the stem is shortened if the name would be too long, undefined if the path would be. */
export function numberedName(path: string, number: number): string | undefined {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf('.');
  const extension = dot <= 0 ? '' : name.slice(dot);
  const suffix = ` (${number})${extension}`;
  const room = maxSegmentBytes - Buffer.byteLength(suffix);
  const stem = cutToBytes(dot <= 0 ? name : name.slice(0, dot), room);
  if (stem === '') return undefined;
  const parent = parentOf(path);
  const numbered = parent === '' ? stem + suffix : `${parent}/${stem}${suffix}`;
  return Buffer.byteLength(numbered) > maxPathBytes ? undefined : numbered;
}

function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}

function checkSegment(field: string, segment: string): void {
  if (segment === '') throw invalid(field, parameterProblems.MUST_NOT_HOLD_EMPTY.reason({}));
  if (segment === '.' || segment === '..') throw invalid(field, parameterProblems.MUST_NOT_HOLD_DOTS.reason({}));
  if (Buffer.byteLength(segment) > maxSegmentBytes)
    throw invalid(field, parameterProblems.HAS_LONG_SEGMENT.reason({ limit: maxSegmentBytes }));
}
