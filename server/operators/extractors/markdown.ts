import MarkdownIt from 'markdown-it';
import { htmlElements } from '../../html/index.ts';

const footnote = /^\[\^[^\]\s]{1,60}\]:/;
/** A formula: between double dollars, between single ones without white space just inside, or in LaTeX brackets. */
const formula =
  /\$\$[^$]{1,4000}\$\$|\$(?![\s$])(?:\\[^\n]|[^$\\\n]){1,400}(?<!\s)\$(?!\d)|\\\([^\n]{1,400}?\\\)|\\\[[^]{1,4000}?\\\]/y;
const tag = /^<(\/?)([a-z][\w:.-]*)\s*>$/i;
const tags = /<\/?[a-z][\w:.-]{0,60}\s{0,4}>/gi;

/** A Markdown parser that renders HTML: footnotes, formulas and placeholders in angle brackets stay as written. */
export function createMarkdown(code: 'KEEP' | 'DROP'): (source: string) => string {
  const markdown = new MarkdownIt({ html: true, breaks: true });
  const { escapeHtml } = markdown.utils;
  let closed = new Set<string>();
  // CommonMark would parse a footnote of one word as a link reference.
  markdown.block.ruler.before('reference', 'footnote', (state, startLine, endLine, silent) => {
    const lineAt = (line: number): string =>
      state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
    if (!footnote.test(lineAt(startLine))) return false;
    if (silent) return true;
    const lines = [lineAt(startLine)];
    let next = startLine + 1;
    for (; next < endLine && !state.isEmpty(next) && !footnote.test(lineAt(next)); next += 1) lines.push(lineAt(next));
    state.push('paragraph_open', 'p', 1);
    const inline = state.push('inline', '', 0);
    inline.content = lines.join('\n').trim();
    inline.map = [startLine, next];
    inline.children = [];
    state.push('paragraph_close', 'p', -1);
    state.line = next;
    return true;
  });
  /** The next closing sign of each kind of formula; searched for again only once it has been passed. */
  let known = { text: '', ends: new Map<string, number>() };
  markdown.inline.ruler.before('escape', 'formula', (state, silent) => {
    const begin = state.src.slice(state.pos, state.pos + 2);
    if (!/^(?:\$|\\[([])/.test(begin)) return false;
    if (known.text !== state.src) known = { text: state.src, ends: new Map() };
    const close = begin.startsWith('$') ? '$' : begin === '\\(' ? '\\)' : '\\]';
    let end = known.ends.get(close) ?? 0;
    if (end !== -1 && end <= state.pos) known.ends.set(close, (end = state.src.indexOf(close, state.pos + 1)));
    if (end === -1) return false;
    formula.lastIndex = state.pos;
    const found = formula.exec(state.src)?.[0];
    if (found === undefined || state.pos + found.length > state.posMax) return false;
    if (!silent)
      for (const [at, line] of found.split('\n').entries()) {
        if (at > 0) state.push('hardbreak', 'br', 0);
        state.push('text', '', 0).content = line;
      }
    state.pos += found.length;
    return true;
  });
  /** Whether <name> is a placeholder: neither an HTML element nor closed anywhere, or a type parameter (Maybe<A>). */
  function isPlaceholder(written: string, before: string): boolean {
    const [, slash, name = ''] = tag.exec(written) ?? [];
    if (slash === undefined || name === '') return false;
    const isKnown = htmlElements.has(name.toLowerCase()) || closed.has(name.toLowerCase());
    return !isKnown || (slash === '' && /^[A-Z]$/.test(name) && /\w$/.test(before) && !closed.has(name.toLowerCase()));
  }
  const { rules } = markdown.renderer;
  rules.image = (tokens, index) => escapeHtml(tokens[index]?.content ?? '');
  rules.html_inline = (tokens, index) => {
    const written = tokens[index]?.content ?? '';
    return isPlaceholder(written, tokens[index - 1]?.content ?? '') ? escapeHtml(written) : written;
  };
  rules.html_block = (tokens, index) =>
    (tokens[index]?.content ?? '').replaceAll(tags, (written) =>
      isPlaceholder(written, '') ? escapeHtml(written) : written,
    );
  if (code === 'DROP') {
    rules.fence = () => '';
    rules.code_block = () => '';
  }
  return (source) => {
    closed = new Set(Array.from(source.matchAll(/<\/([a-z][\w:.-]{0,60})/gi), ([, name = '']) => name.toLowerCase()));
    return markdown.render(source);
  };
}
