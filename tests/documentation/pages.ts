// The contents of Markdown pages, as GitHub shows them.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export type DocumentationPage = {
  headings: { level: number; text: string }[];
  /** Addresses of links and pictures, with the text or description of each. */
  links: { address: string; text: string }[];
  /** Fenced code, with its language. */
  code: { language: string; text: string }[];
  /** Cells as Markdown, the header first. */
  tables: string[][][];
};

const markdown = new MarkdownIt({ html: true });

/** All pages, by their paths relative to the root of the repository. */
export function listPages(): string[] {
  const patterns = ['*.md', '.github/**/*.md', '{clients,deploy,docs,examples,runtime,server,web}/**/*.md'];
  return globSync(patterns, { cwd: root, exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path) }).toSorted();
}

export function readPage(path: string): DocumentationPage {
  const page: DocumentationPage = { headings: [], links: [], code: [], tables: [] };
  const tokens = markdown.parse(readFileSync(`${root}/${path}`, 'utf8'), {});
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open')
      page.headings.push({ level: Number(token.tag.slice(1)), text: tokens[at + 1]?.content ?? '' });
    else if (token.type === 'fence') page.code.push({ language: token.info, text: token.content });
    else if (token.type === 'table_open') page.tables.push([]);
    else if (token.type === 'tr_open') page.tables.at(-1)?.push([]);
    else if (token.type === 'th_open' || token.type === 'td_open')
      page.tables
        .at(-1)
        ?.at(-1)
        ?.push(tokens[at + 1]?.content ?? '');
    const parts = token.children ?? [];
    for (const [place, part] of parts.entries()) {
      if (part.type === 'image') page.links.push({ address: String(part.attrGet('src')), text: part.content });
      if (part.type !== 'link_open') continue;
      const end = parts.findIndex(({ type }, later) => later > place && type === 'link_close');
      const text = parts.slice(place + 1, end).map(({ content }) => content);
      page.links.push({ address: String(part.attrGet('href')), text: text.join('') });
    }
  }
  return page;
}

/** GitHub's anchor for a heading, without the numbers of repeated ones. */
export function anchorOf(heading: string): string {
  const shown = heading.replaceAll(/`|\[|\]\([^)]*\)/g, '').toLowerCase();
  return shown.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}
