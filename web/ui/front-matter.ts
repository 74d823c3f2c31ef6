/** A YAML block at the start of Markdown, between lines of three hyphens: metadata of the Hugging Face Hub, no text. */
const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:(?:\w[\w-]*:|[ \t#-]).*\r?\n|\r?\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** Markdown without its front matter; a rule at its start, followed by text, stays. */
export function withoutFrontMatter(text: string): string {
  return text.replace(frontMatter, '');
}
