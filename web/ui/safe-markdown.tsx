import { Anchor, Code, Table, Text, Title } from '@mantine/core';
import MarkdownIt from 'markdown-it';
import { createElement, Fragment, useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

type Token = ReturnType<(typeof parser)['parse']>[number];
type Open = { token: Token | undefined; children: ReactNode[] };

/** HTML stays text; nesting is bounded by the parser. */
const parser = new MarkdownIt({ html: false, linkify: true });

/**
 * Untrusted Markdown, rendered as elements and never as HTML, so that nothing in it is executed. Links open outside; an
 * external picture becomes a link, because loading it would reveal the reader to another server.
 */
export function SafeMarkdown({ text }: { text: string }) {
  const { t } = useTranslation();
  const tokens = useMemo(() => parser.parse(text, {}), [text]);
  const nameOfPicture = (alt: string, host: string | undefined): string =>
    host === undefined ? t('common.markdown.picture', { alt }) : t('common.markdown.pictureElsewhere', { alt, host });
  return <div className="markdown">{drawn(tokens, nameOfPicture)}</div>;
}

type NameOfPicture = (alt: string, host: string | undefined) => string;

function drawn(tokens: readonly Token[], nameOfPicture: NameOfPicture): ReactNode[] {
  const open: Open[] = [{ token: undefined, children: [] }];
  for (const [at, token] of tokens.entries()) {
    const parent = open.at(-1);
    if (parent === undefined) break;
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === -1) {
      open.pop();
      const { token: opening, children } = parent;
      if (opening !== undefined) open.at(-1)?.children.push(elementOf(opening, children, at));
    } else parent.children.push(leafOf(token, at, nameOfPicture));
  }
  return open[0]?.children ?? [];
}

function elementOf(token: Token, children: ReactNode[], key: number): ReactNode {
  const { tag } = token;
  switch (tag) {
    // The titles of the page and of the panel are higher levels.
    case 'h1':
    case 'h2':
      return (
        <Title key={key} order={3} size={tag === 'h1' ? 'h4' : 'h5'}>
          {children}
        </Title>
      );
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return (
        <Title key={key} order={4} size="h6">
          {children}
        </Title>
      );
    case 'p':
      return token.hidden ? <Fragment key={key}>{children}</Fragment> : <p key={key}>{children}</p>;
    case 'ol':
      return (
        <ol key={key} start={Number(token.attrGet('start') ?? 1)}>
          {children}
        </ol>
      );
    case 'a':
      return (
        <OutsideLink key={key} href={textOf(token, 'href')}>
          {children}
        </OutsideLink>
      );
    case 'table':
      return (
        <div key={key} className="table-scroll" tabIndex={0}>
          <Table withTableBorder>{children}</Table>
        </div>
      );
    case 'thead':
      return <Table.Thead key={key}>{children}</Table.Thead>;
    case 'tbody':
      return <Table.Tbody key={key}>{children}</Table.Tbody>;
    case 'tr':
      return <Table.Tr key={key}>{children}</Table.Tr>;
    case 'th':
      return <Table.Th key={key}>{children}</Table.Th>;
    case 'td':
      return <Table.Td key={key}>{children}</Table.Td>;
    case 'ul':
    case 'li':
    case 'blockquote':
    case 'strong':
    case 'em':
    case 's':
      return createElement(tag, { key }, ...children);
    default:
      return <Fragment key={key}>{children}</Fragment>;
  }
}

function leafOf(token: Token, key: number, nameOfPicture: NameOfPicture): ReactNode {
  switch (token.type) {
    case 'inline':
      return <Fragment key={key}>{drawn(token.children ?? [], nameOfPicture)}</Fragment>;
    case 'code_inline':
      return <Code key={key}>{token.content}</Code>;
    case 'code_block':
    case 'fence':
      return (
        <Code key={key} block tabIndex={0}>
          {token.content}
        </Code>
      );
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br key={key} />;
    case 'hr':
      return <hr key={key} />;
    case 'image':
      return <Picture key={key} token={token} nameOfPicture={nameOfPicture} />;
    default:
      return token.content;
  }
}

function textOf(token: Token, attribute: string): string | null {
  const value = token.attrGet(attribute);
  return value === null ? null : String(value);
}

/** Links to web and mail addresses; anything else is shown as text. */
function OutsideLink({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null || !/^(?:https?:\/\/|mailto:)/i.test(href)) return children;
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" inherit>
      {children}
    </Anchor>
  );
}

/** A picture embedded in the text is shown; an external one is offered as a link. */
function Picture({ token, nameOfPicture }: { token: Token; nameOfPicture: NameOfPicture }) {
  const src = textOf(token, 'src') ?? '';
  const alt = token.content;
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(src)) return <img src={src} alt={alt} />;
  const host = hostOf(src);
  if (host === undefined)
    return (
      <Text span c="dimmed" inherit>
        {nameOfPicture(alt, undefined)}
      </Text>
    );
  return <OutsideLink href={src}>{nameOfPicture(alt, host)}</OutsideLink>;
}

function hostOf(address: string): string | undefined {
  return /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : undefined;
}
