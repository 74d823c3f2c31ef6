import { maxPathBytes, maxSegmentBytes } from '../kernel/file-path.ts';

/**
 * A valid dataset path as close as possible to the source's names: empty segments are left out, `.`, `..` and invalid
 * characters become `_`, and long names are truncated before their extension.
 */
export function safePath(segments: readonly string[]): string {
  const safe = segments.filter((segment) => segment !== '').map(safeSegment);
  const path = safe.join('/');
  if (path === '') return '_';
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  // The name matters more than the folders.
  return safe.at(-1) ?? '_';
}

function safeSegment(segment: string): string {
  // oxlint-disable-next-line no-control-regex
  const clean = segment.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f\\/]/g, '_');
  if (clean === '.' || clean === '..') return clean.replaceAll('.', '_');
  if (Buffer.byteLength(clean) <= maxSegmentBytes) return clean;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(clean)?.[0] ?? '';
  let kept = '';
  let bytes = Buffer.byteLength(extension);
  for (const character of clean) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxSegmentBytes) break;
    kept += character;
  }
  return kept + extension;
}
