// Finds e-mail addresses: RFC 5322 and, for other scripts, RFC 6531. Both sides of each @ are read for a bounded length:
// time is linear in the length of the text.
import { inAllForms } from './character-forms.ts';
import { topLevelDomains } from './top-level-domains.ts';

/** The user in a URL: ssh://git@host. */
const userOfAddress = /(?<!mailto):\/\/[^\s/@]{0,80}$/i;

// File extensions and systemd unit types that look like a domain: icon@2x.png, getty@tty1.service. None is a top-level
// domain but `target` and `pid`, which texts use for units and process ids.
export const fileEndings: ReadonlySet<string> = new Set(
  (
    'png jpg jpeg gif webp svg ico bmp tif tiff psd js mjs cjs ts jsx tsx css scss sass less html htm xhtml json yaml yml toml xml ' +
    'txt csv tsv log tgz gz xz zst tar jar war exe dll lib cpp hpp lock patch diff service socket timer mount target slice ' +
    'path scope device swap conf cfg ini bak tmp orig deb rpm whl gem snap sock pid mp3 mp4 wav pdf doc docx xls xlsx ppt pptx'
  ).split(' '),
);

export const maskEmails = inAllForms((text, replace) => {
  let masked = '';
  let taken = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = startOfLocalPart(text, at, taken);
    const end = start === at ? undefined : endOfDomain(text, at + 1);
    if (end === undefined || isOther(text, start, end)) continue;
    // _jane@example.org_ is emphasis.
    const isMarked = text[start] === '_' && text[end] === '_' && start + 1 < at;
    const from = isMarked ? start + 1 : start;
    masked += text.slice(taken, from) + replace(text.slice(from, end));
    taken = end;
    at = end - 1;
  }
  return taken === 0 ? text : masked + text.slice(taken);
});

/** Whether it is the address of a repository or the user of a URL: git@host.example:team/project. */
function isOther(text: string, start: number, end: number): boolean {
  const isRepository = /^:[\w~/.-]*[a-z~/]/i.test(text.slice(end, end + 80));
  return isRepository || userOfAddress.test(text.slice(Math.max(0, start - 90), start));
}

// RFC 5322 atext and letters of any script, without the signs that more often quote or separate an address than belong to it.
const localSign = /[\p{L}\p{M}\p{N}_.%+'&-]/u;
const longestLocalPart = 254;
const quoted = /(?:(?<![\p{L}\p{N}"])"(?:[^"\\\r\n]|\\[^\r\n]){1,64}"|(?<![\p{L}\p{N}])\\"[^"\\\r\n]{1,64}\\")$/u;

/** Where the local part before an @ begins; `at` if there is none. Perl and its manuals write `name\@host`. */
function startOfLocalPart(text: string, at: number, lowest: number): number {
  const end = text[at - 1] === '\\' ? at - 1 : at;
  if (text[end - 1] === '"') {
    const from = Math.max(lowest, end - 140);
    const found = quoted.exec(text.slice(from, end));
    return found === null ? at : from + found.index;
  }
  let start = end;
  while (start > lowest && end - start < longestLocalPart) {
    const isPair = /[\udc00-\udfff]/.test(text.charAt(start - 1));
    const sign = text.slice(start - (isPair ? 2 : 1), start);
    if (!localSign.test(sign)) break;
    start -= sign.length;
  }
  start = startOfScript(text, start, end);
  while (start < end && /[.'&]/.test(text.charAt(start))) start += 1;
  // A combining mark begins nothing.
  return start === end || /^\p{M}/u.test(text.slice(start, end)) ? at : start;
}

const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Scripts whose words take letters of others for their own, in names or to deceive. */
const mixing = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}]/u;
/** How long a name without spaces is at most. */
const longestName = 6;
/** Chinese and Japanese words before an address. */
const leadingWord = /[至给給到为為是在向请請找联聯系络絡箱址发發送件信於于はへにを、]/u;

/**
 * Where the letters before an @ that belong together begin. In scripts without spaces, the sentence goes on to the
 * address: 请发邮件至zhang.wei@163.com. A sign between them joins letters of different scripts.
 */
function startOfScript(text: string, from: number, end: number): number {
  const signs = Array.from(text.slice(from, end));
  const kindOf = (sign: string): string =>
    spaceless.test(sign) ? 'spaceless' : mixing.test(sign) ? 'mixing' : /\p{L}/u.test(sign) ? 'spaced' : 'none';
  let kind = 'none';
  let first = signs.length;
  for (; first > 0; first -= 1) {
    const sign = signs[first - 1] ?? '';
    const own = kindOf(sign);
    if (/[.+_-]/.test(sign)) kind = 'sign';
    else if (own === 'none') kind = kind === 'none' || kind === 'sign' ? 'digit' : kind;
    else if (kind !== 'none' && kind !== 'sign' && kind !== own && !(kind === 'digit' && own !== 'spaceless')) break;
    else kind = own;
  }
  const rest = signs.slice(first);
  return from + signs.slice(0, first + lengthOfSentence(rest)).join('').length;
}

/** How many letters at the start of a local part without spaces belong to the sentence before it. */
function lengthOfSentence(signs: readonly string[]): number {
  const own = signs.findLastIndex((sign) => !spaceless.test(sign)) + 1;
  const name = signs.slice(own);
  if (own > 0 || name.length <= longestName || name.every((sign) => /[\p{Script=Thai}\p{Script=Lao}]/u.test(sign)))
    return 0;
  const word = name.findLastIndex((sign, at) => leadingWord.test(sign) && at < name.length - 1);
  return Math.max(word + 1, name.length - longestName);
}

const literal = /\[(?:(?:\d{1,3}\.){3}\d{1,3}|IPv6:[\da-f:.]{2,45})\]/iy;
const label = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,62}[\p{L}\p{M}\p{N}])?/uy;
const mostLabels = 10;
/** Han digits aside, full stops of Chinese and Japanese separate labels, too (RFC 3490); they mostly end sentences. */
const wideStop = /[。｡]/;

/** Where the domain that begins at `from` ends; undefined if there is none. */
function endOfDomain(text: string, from: number): number | undefined {
  literal.lastIndex = from;
  if (literal.test(text)) return literal.lastIndex;
  let best: number | undefined;
  let isListed = false;
  for (let [at, count] = [from, 0]; count < mostLabels; count += 1) {
    label.lastIndex = at;
    const name = label.exec(text)?.[0];
    if (name === undefined) break;
    const end = count === 0 ? undefined : endOfLastLabel(text, at, name);
    const isSentence = isListed && end?.isListed === false && /^\p{Lu}/u.test(name);
    if (end !== undefined && !isSentence) {
      best = end.isFile ? undefined : at + end.length;
      isListed = end.isListed;
    }
    at += name.length;
    const isStop = text[at] === '.' || (best === undefined && wideStop.test(text.charAt(at)));
    if (!isStop) break;
    at += 1;
  }
  return best;
}

type Ending = { length: number; isListed: boolean; isFile: boolean };

/** How much of a label is a top-level domain; undefined if it is none. */
function endOfLastLabel(text: string, at: number, name: string): Ending | undefined {
  const own = name.normalize('NFC').toLowerCase();
  const isApart = !/^[_-]{1,20}[a-z\d]/i.test(text.slice(at + name.length, at + name.length + 21));
  if (topLevelDomains.has(own) && isApart && !fileEndings.has(own))
    return { length: name.length, isListed: true, isFile: false };
  const ascii = /^(?:xn--[a-z\d-]{2,59}|[a-z]{2,24})(?![a-z\d\p{Script=Latin}\p{M}]|[_-]{1,20}[a-z\d])/iu.exec(
    text.slice(at, at + 90),
  )?.[0];
  if (ascii !== undefined) {
    const ending = ascii.toLowerCase();
    const isListed = topLevelDomains.has(ending) || ending.startsWith('xn--');
    return { length: ascii.length, isListed, isFile: fileEndings.has(ending) };
  }
  // Without spaces, the sentence goes on behind the domain.
  for (let length = Math.min(name.length - 1, 12); length >= 2; length -= 1)
    if (/[^\p{ASCII}]/u.test(name[0] ?? '') && topLevelDomains.has(own.slice(0, length)) && joins(name, length))
      return { length, isListed: true, isFile: false };
  const isHan = /^\p{Script=Han}{2,8}$/u.test(name) && isApart;
  return isHan ? { length: name.length, isListed: false, isFile: false } : undefined;
}

/** Whether the letters from `length` may follow a word without a space: Chinese, Japanese, Korean, Thai. */
function joins(name: string, length: number): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}]/u.test(
    name.slice(length),
  );
}
