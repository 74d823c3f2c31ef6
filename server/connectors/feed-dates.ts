const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

type Day = { year: number; month: number; day: number };

/** ISO 8601 if a text is a date; unchanged if it can not be read, or names a day that does not exist. */
export function timeOf(text: string | null): string | null {
  if (text === null) return null;
  const day = dayIn(text);
  if (day !== undefined && !exists(day)) return text;
  const at = new Date(withZone(text));
  if (Number.isNaN(at.getTime())) return text;
  // The parser takes years below 100 for later ones.
  const isOtherYear = day !== undefined && Math.abs(at.getUTCFullYear() - day.year) > 1;
  return isOtherYear ? text : at.toISOString();
}

/** The day that a text names, in the notations of feeds and those that the parser knows. */
function dayIn(text: string): Day | undefined {
  const iso = /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text);
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  const american = /(?<!\d)(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/.exec(text);
  if (american !== null) return { year: Number(american[3]), month: Number(american[1]), day: Number(american[2]) };
  const dayFirst = /(?<!\d)(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s,-]+(\d{4}|\d{2})(?!\d)/i.exec(text);
  const monthFirst = /([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?!\d)[\s,]+(?:\d{1,2}:\d{2}(?::\d{2})?\s+)?(\d{4})(?!\d)/i.exec(
    text,
  );
  const [day, name, year] = dayFirst?.slice(1) ?? [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]];
  const month = months.indexOf(name?.toLowerCase() ?? '') + 1;
  if (month === 0 || year === undefined) return undefined;
  return { year: year.length === 2 ? fullYear(Number(year)) : Number(year), month, day: Number(day) };
}

function fullYear(year: number): number {
  return year < 50 ? 2000 + year : 1900 + year;
}

function exists({ year, month, day }: Day): boolean {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}

/** A time without a zone is in UTC, wherever the service runs. */
function withZone(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/i.test(text)) return `${text}Z`;
  return /[a-z].*\s\d{1,2}:\d{2}(?::\d{2})?$/i.test(text) ? `${text} GMT` : text;
}
