/** A block of YAML at the start of Markdown, between lines of three hyphens: the Hub's facts, not the text of the page. */
const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:(?:\w[\w-]*:|[ \t#-]).*\r?\n|\r?\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** Markdown as it is drawn; a rule at its start, with a text below, stays. */
export function withoutFrontMatter(text: string): string {
  return text.replace(frontMatter, '');
}
