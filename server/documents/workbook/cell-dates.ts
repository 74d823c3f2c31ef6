/** How a cell's style displays its number; an elapsed time goes on counting hours after 24. */
export type DateKind = 'date' | 'time' | 'date-time' | 'elapsed';

/** Built-in formats of dates and times, including locale-specific ones: ECMA-376 part 1, 18.8.30. */
const dateFormats = (id: number): boolean => (id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58);
const timeFormats = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47;

/** How a number format of Excel displays a number as a date or time, by its number and its code if it has one. */
export function dateKindOf(id: number, code: string | undefined): DateKind | undefined {
  if (code !== undefined) return kindOfCode(code);
  if (id === 46) return 'elapsed';
  if (dateFormats(id)) return 'date';
  if (timeFormats(id)) return 'time';
  return id === 22 || id === 36 ? 'date-time' : undefined;
}

function kindOfCode(code: string): DateKind | undefined {
  // Only the first section counts: further ones are for negative numbers, zero and text.
  const [first = ''] = code.replaceAll(/"[^"]*"|\\.|_.|\*./g, '').split(';');
  const letters = first.replaceAll(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').toLowerCase();
  if (/general|[0#?]/.test(letters.replaceAll(/s\]?\.0+/g, 's'))) return undefined;
  const isDate = /[yd]/.test(letters) || /mmm/.test(letters);
  const isTime = /[hs]/.test(letters);
  if (isDate) return isTime ? 'date-time' : 'date';
  if (/\[(?:h+|m+|s+)\]/.test(letters)) return 'elapsed';
  return isTime ? 'time' : undefined;
}

/**
 * Formats a number of days since the end of 1899 (since 1904 in some workbooks), whose fraction is the time of day, as
 * in ISO 8601, and an elapsed time as hours, minutes and seconds; undefined if it is out of range.
 */
export function formatDate(days: number, kind: DateKind, isFrom1904: boolean): string | undefined {
  if (kind === 'elapsed') return formatElapsed(days * 86_400);
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  // Lotus 1-2-3, and therefore Excel, has a 29 February 1900: days before it are off by one.
  const lotus = !isFrom1904 && days >= 1 && days < 60 ? 1 : 0;
  const start = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const at = new Date(start + Math.round((days + lotus) * 86_400) * 1000).toISOString();
  const date = at.slice(0, 10);
  const time = at.slice(11, 19);
  if (kind === 'time' && days < 1) return time;
  return kind === 'date' && Number.isInteger(days) ? date : `${date} ${time}`;
}

/** The longest time that a spreadsheet program can show: the days of its calendar. */
const maxElapsedSeconds = 2_958_466 * 86_400;

/** `36:00:00`; undefined if it is out of range. */
export function formatElapsed(seconds: number): string | undefined {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > maxElapsedSeconds) return undefined;
  const whole = Math.round(Math.abs(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return `${seconds < 0 && whole > 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}
