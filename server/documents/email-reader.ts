import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { escapeLines } from './markdown-marks.ts';
import { withUtf8Texts } from './email/message-encodings.ts';
import { readPage } from './office-reader.ts';
import { DocumentFailure } from './receipt.ts';

/** Reads an e-mail: subject, sender, recipients, date and body; attachments are listed but not read. */
export async function readEmail(bytes: Uint8Array, draft: Draft): Promise<void> {
  const email = await parse(withUtf8Texts(bytes, draft.takeText));
  if (email.headers.length === 0) throw new DocumentFailure('DAMAGED', documentProblems.EMAIL_NO_HEADER.reason({}));
  draft.title = email.subject?.trim() || null;
  if (draft.title !== null) draft.append(`# ${oneLine(draft.title)}`);
  const lines: readonly (readonly [name: string, value: string])[] = [
    ['From', addresses(email.from === undefined ? [] : [email.from])],
    ['To', addresses(email.to ?? [])],
    ['Cc', addresses(email.cc ?? [])],
    ['Date', email.date ?? ''],
    ['Attachments', email.attachments.filter(isDocument).map(nameOf).join(', ')],
  ];
  // Two trailing spaces are a line break in Markdown.
  draft.append(lines.flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${oneLine(value)}`])).join('  \n'));
  for (const attachment of email.attachments) {
    if (isDocument(attachment)) draft.warn(documentProblems.ATTACHMENT_NOT_READ.reason({ name: nameOf(attachment) }));
    else draft.images += 1;
  }
  if (email.html !== undefined && email.html.trim() !== '') {
    const { title } = draft;
    await readPage(email.html, draft);
    draft.title = title;
  } else draft.append(escapeLines(email.text?.trim() ?? ''));
}

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentFailure('DAMAGED', documentProblems.UNREADABLE_BECAUSE.reason({ why: oneLine(why) }), {
      cause: error,
    });
  }
}

/** Whether an attachment is more than an image embedded in the body. */
function isDocument({ related, mimeType }: Attachment): boolean {
  return related !== true || !mimeType.startsWith('image/');
}

function nameOf({ filename, mimeType }: Attachment): string {
  return filename ?? mimeType;
}

function addresses(list: readonly Address[]): string {
  return list
    .flatMap((entry) => ('group' in entry && entry.group !== undefined ? entry.group : [entry]))
    .map(({ name, address }) => {
      if (address === undefined || address === '') return name;
      return name === '' ? address : `${name} <${address}>`;
    })
    .join(', ');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
