import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

const license =
  /copyright|\(c\)\s{0,3}(?:(?:19|20)\d\d|\p{L})|©|SPDX-License-Identifier|licen[sc]ed? (?:under|to)|(?:released|distributed|available) under\b.{0,60}licen[sc]e|(?:MIT|BSD|ISC|GPL) licen[sc]e|all rights reserved|permission is hereby granted|redistribution and use|GNU (?:Lesser |Affero )?General Public|Apache License|Mozilla Public License|版权所有|版權所有|著作权|保留所有权利|许可证|许可協議|许可协议/iu;
/** Words in further paragraphs of a licence. */
const legal =
  /warrant|liab(?:le|ility)|merchantab|without limitation|permission|redistribut|provided that|the following conditions|hereby|the licen[sc]e|free software|gnu\.org|"as is"/i;
/** A comment line with one of these is a notice, not a heading (# Copyright policy). */
const notice =
  /\d{4}|\(c\)|©|SPDX|licen[sc]ed? (?:under|to)|licen[sc]e:|reserved|authors|contributors|\b(?:inc|ltd|llc|corp|gmbh)\b|版权所有|版權所有|保留/i;
/** Lines that begin a new paragraph about the purpose of the code. */
const label =
  /^[^\p{L}\n]{0,8}(?:@?(?:purpose|description|desc|usage|summary|synopsis|overview|abstract|module|file(?:name)?|title|todo|notes?|brief))\s{0,3}:/iu;
/** Block comments: their start and end marks. */
const blocks: readonly (readonly [begin: string, end: string])[] = [
  ['/*', '*/'],
  ['<!--', '-->'],
  ['"""', '"""'],
  ["'''", "'''"],
  ['(*', '*)'],
  ['{-', '-}'],
  ['--[[', ']]'],
];
const lineComment =
  /^[^\S\n]*(?:\/\/|#(?!!|include|define|if|pragma|import|undef|region)|--|;|%|'|!|\*|REM\b|dnl\b|\.\\")/;
/** Lines that stay at the top: interpreter, encoding, XML declaration, document type, PHP. */
const preamble = /^(?:#!.*|.{0,20}-\*-.*-\*-.*|#.*coding[:=].*|<\?xml.*\?>|<!DOCTYPE[^>]*>|<\?php)[^\S\n]*$/i;

export const licenseHeaderRemover = defineOperator({
  id: 'license-header-remover',
  version: '1.1.0',
  name: 'Remove licence headers from code',
  description:
    'Removes copyright and licence comments at the top of source code, in the comment syntax of common languages (/* */, //, #, --, ;, %, <!-- -->, """). Paragraphs of such a comment about something else, the interpreter line and other comments are kept, and so is a text that is itself a licence.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({}),
  examples: [
    {
      title: 'A block comment',
      params: {},
      input: '/*\n * Copyright 2024 Jane Doe\n * Licensed under the MIT License\n */\n\n#include <a.h>\n',
      output: '#include <a.h>\n',
    },
    {
      title: 'Line comments after the interpreter line',
      params: {},
      input: '#!/bin/sh\n# Copyright (c) 2024, ACME\n# All rights reserved.\n\necho hi # text\n',
      output: '#!/bin/sh\necho hi # text\n',
    },
    {
      title: 'Chinese',
      params: {},
      input: '// 版权所有 2024 某公司\n// 保留所有权利\npackage a;\n',
      output: 'package a;\n',
    },
    {
      title: 'The description of the code is kept',
      params: {},
      input:
        '"""Module doc.\n\nCopyright 2020 X. License: MIT\n\nUsage: foo bar\n"""\n# (c) 2020 X\n# MIT license\n#\n# Purpose: parse the file\nx = 1\n',
      output: '"""Module doc.\n\nUsage: foo bar\n"""\n# Purpose: parse the file\nx = 1\n',
    },
    {
      title: 'A banner',
      params: {},
      input: '/*! * jQuery v3 * (c) OpenJS * Released under the MIT license */\nf();\n',
      output: 'f();\n',
    },
    {
      title: 'A Markdown heading is kept',
      params: {},
      input: '# Copyright policy\n\nWe keep it.\n',
      output: '# Copyright policy\n\nWe keep it.\n',
    },
    {
      title: 'Other comments are kept',
      params: {},
      input: '// Adds numbers.\n// See RFC 1.\nlet a = 1; // Copyright 2024\n',
      output: '// Adds numbers.\n// See RFC 1.\nlet a = 1; // Copyright 2024\n',
    },
    {
      title: 'Text is unchanged',
      params: {},
      input: 'Copyright 2024 Jane Doe\n\nA letter.\n',
      output: 'Copyright 2024 Jane Doe\n\nA letter.\n',
    },
  ],
  chinese: {
    name: '去除代码的许可证头',
    description:
      '去掉源代码顶部写明版权和许可证的注释，支持常用语言的注释语法（/* */、//、#、--、;、%、<!-- -->、"""）。这类注释中说明其他内容的段落、解释器行和其他注释保留，本身就是许可证的文本也保留。',
    params: {},
    examples: {
      'A block comment': '注释块',
      'Line comments after the interpreter line': '解释器行之后的行注释',
      Chinese: '中文',
      'The description of the code is kept': '代码用途的说明保留',
      'A banner': '单行横幅',
      'A Markdown heading is kept': 'Markdown 标题保留',
      'Other comments are kept': '其他注释保留',
      'Text is unchanged': '普通文本保留',
    },
  },
  each: () => (sample) => {
    const { text } = sample;
    if (!license.test(text.slice(0, 20_000))) return sample;
    const start = endOfPreamble(text);
    let [end, removedTo, kept] = [start, start, ''];
    for (let comment = readComment(text, end); comment !== undefined; comment = readComment(text, end)) {
      const written = text.slice(comment.from, comment.to);
      if (!license.test(written) || isHeading(written)) break;
      kept += withoutLicense(written);
      [end, removedTo] = [comment.to, comment.to];
    }
    if (removedTo === start) return sample;
    const rest = text.slice(removedTo).replace(/^(?:[^\S\n]*\n)+/, '');
    // A text of comments only is a licence rather than the header of something.
    if (rest.trim() === '') return sample;
    return { ...sample, text: text.slice(0, start) + kept + rest };
  },
});

/** Whether a comment is a single # line without a notice: a Markdown heading. */
function isHeading(comment: string): boolean {
  return comment.startsWith('#') && !comment.trimEnd().includes('\n') && !notice.test(comment);
}

/** A comment without its licence paragraphs; empty if there are no others. */
function withoutLicense(comment: string): string {
  const block = blocks.find(([begin, finish]) => comment.startsWith(begin) && comment.endsWith(finish));
  const [begin, finish] = block ?? ['', ''];
  const lines = comment.slice(begin.length, comment.length - finish.length).split(/(?<=\n)/);
  const isBlank = (line: string): boolean => !/[\p{L}\p{N}]/u.test(line);
  /** Paragraph number per line. */
  let paragraph = 0;
  const paragraphs = lines.map((line, at) => {
    if (label.test(line) || (at > 0 && !isBlank(line) && isBlank(lines[at - 1] ?? ''))) paragraph += 1;
    return paragraph;
  });
  const texts = new Map<number, string>();
  for (const [at, line] of lines.entries())
    texts.set(paragraphs[at] ?? 0, (texts.get(paragraphs[at] ?? 0) ?? '') + line);
  const ofLicense = [...texts].filter(([, words]) => license.test(words) || legal.test(words)).map(([at]) => at);
  const [first, last] = [ofLicense[0] ?? 0, ofLicense.at(-1) ?? 0];
  const others = lines.filter((_, at) => (paragraphs[at] ?? 0) < first || (paragraphs[at] ?? 0) > last);
  if (others.every(isBlank)) return '';
  const inside = others.join('');
  const isCut = first === 0 && begin !== '' && /^\s*\*/.test(inside);
  const end = finish !== '' && isBlank(lines.at(-1) ?? '') && !others.includes(lines.at(-1) ?? '') ? lines.at(-1) : '';
  const following = block === undefined ? '' : '\n';
  return begin + (isCut ? '\n' : '') + inside + (end ?? '') + finish + following;
}

function endOfPreamble(text: string): number {
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end === -1 || end - start > 300 || !preamble.test(text.slice(start, end))) return start;
    start = end + 1;
  }
}

/** The next comment after blank lines: a block, or consecutive comment lines. */
function readComment(text: string, start: number): { from: number; to: number } | undefined {
  let from = start;
  while (from < text.length && /\s/.test(text.charAt(from))) from += 1;
  for (const [begin, finish] of blocks) {
    if (!text.startsWith(begin, from)) continue;
    const end = text.indexOf(finish, from + begin.length);
    return end === -1 ? undefined : { from, to: end + finish.length };
  }
  let to = from;
  while (to < text.length) {
    const end = text.indexOf('\n', to);
    const lineEnd = end === -1 ? text.length : end;
    if (!lineComment.test(text.slice(to, Math.min(lineEnd, to + 200)))) break;
    to = end === -1 ? text.length : end + 1;
  }
  return to === from ? undefined : { from, to };
}
