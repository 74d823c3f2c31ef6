/** Whose rules of quotes and comments a text follows. */
export type SqlDialect = 'sqlite' | 'postgresql' | 'mysql';

/** A text in quotes; one that is not closed reaches to the end. */
const doubled = {
  "'": /'(?:[^']|'')*(?:'|$)/y,
  '"': /"(?:[^"]|"")*(?:"|$)/y,
  '`': /`(?:[^`]|``)*(?:`|$)/y,
} as const;
const escaped = {
  "'": /'(?:[^'\\]|''|\\[^])*(?:'|$)/y,
  '"': /"(?:[^"\\]|""|\\[^])*(?:"|$)/y,
} as const;

/** The texts in quotes of a dialect, and its comments. MySQL runs the content of `/*!` comments. */
const patterns: Readonly<
  Record<SqlDialect, { quoted: readonly RegExp[]; comments: readonly RegExp[]; nests: boolean }>
> = {
  sqlite: {
    quoted: [doubled["'"], doubled['"'], doubled['`'], /\[[^\]]*(?:\]|$)/y],
    comments: [/--[^\n]*/y, /\/\*[^]*?(?:\*\/|$)/y],
    nests: false,
  },
  postgresql: {
    quoted: [
      /[eE]'(?:[^'\\]|''|\\[^])*(?:'|$)/y,
      doubled["'"],
      doubled['"'],
      /(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)[^]*?(?:\1|$)/uy,
    ],
    comments: [/--[^\r\n]*/y],
    nests: true,
  },
  mysql: {
    quoted: [escaped["'"], escaped['"'], doubled['`']],
    comments: [/#[^\n]*/y, /--(?=[\s\p{Cc}]|$)[^\n]*/uy, /\/\*(?!!|M!)[^]*?(?:\*\/|$)/y],
    nests: false,
  },
};

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** The length of a comment of PostgreSQL, which may contain others. */
function nestedLength(text: string, at: number): number {
  if (!text.startsWith('/*', at)) return 0;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex - at;
  }
  return text.length - at;
}

/** A word is skipped as a whole: `a$b$` and `note'` begin no text in quotes within it. */
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy;

/**
 * A query that can be put in parentheses, before a line break: without the semicolons, comments and space behind its statement.
 * A second statement stays, for the database to refuse.
 */
export function innerQuery(query: string, dialect: SqlDialect): string {
  const { quoted, comments, nests } = patterns[dialect];
  let end = 0;
  for (let at = 0; at < query.length;) {
    const comment = Math.max(
      ...comments.map((pattern) => matchAt(pattern, query, at)),
      nests ? nestedLength(query, at) : 0,
    );
    if (comment > 0) {
      at += comment;
      continue;
    }
    const text = Math.max(...quoted.map((pattern) => matchAt(pattern, query, at)));
    const length = Math.max(1, text > 0 ? text : matchAt(word, query, at));
    const isSilent = length === 1 && /[\s;]/.test(query.charAt(at));
    at += length;
    if (!isSilent) end = at;
  }
  return query.slice(0, end).trimStart();
}
