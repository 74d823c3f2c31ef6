import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

const license =
  /copyright|\(c\)\s{0,3}(?:19|20)\d\d|©|SPDX-License-Identifier|licen[sc]ed? (?:under|to)|all rights reserved|permission is hereby granted|redistribution and use|GNU (?:Lesser |Affero )?General Public|Apache License|Mozilla Public License|版权所有|版權所有|著作权|保留所有权利|许可证|许可協議|许可协议/i;
/** Comments with an end, by their beginnings. */
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
  version: '1.0.0',
  name: 'Remove licence headers of code',
  description:
    'Takes out the comments at the top of source code that tell copyright and licence, in the comment syntax of the usual languages (/* */, //, #, --, ;, %, <!-- -->, """). The interpreter line and other comments stay, and so does a text that is a licence itself.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({}),
  examples: [
    {
      title: 'A block',
      params: {},
      input: '/*\n * Copyright 2024 Jane Doe\n * Licensed under the MIT License\n */\n\n#include <a.h>\n',
      output: '#include <a.h>\n',
    },
    {
      title: 'Lines, behind the interpreter',
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
      title: 'Other comments stay',
      params: {},
      input: '// Adds numbers.\n// See RFC 1.\nlet a = 1; // Copyright 2024\n',
      output: '// Adds numbers.\n// See RFC 1.\nlet a = 1; // Copyright 2024\n',
    },
    {
      title: 'Text stays',
      params: {},
      input: 'Copyright 2024 Jane Doe\n\nA letter.\n',
      output: 'Copyright 2024 Jane Doe\n\nA letter.\n',
    },
  ],
  chinese: {
    name: '去除代码的许可证头',
    description:
      '去掉源代码顶部写明版权和许可证的注释，支持常用语言的注释语法（/* */、//、#、--、;、%、<!-- -->、"""）。解释器行和其他注释保留，本身就是许可证的文本也保留。',
    params: {},
    examples: {
      'A block': '注释块',
      'Lines, behind the interpreter': '解释器行之后的行注释',
      Chinese: '中文',
      'Other comments stay': '其他注释保留',
      'Text stays': '普通文本保留',
    },
  },
  each: () => (sample) => {
    const { text } = sample;
    if (!license.test(text.slice(0, 20_000))) return sample;
    const start = endOfPreamble(text);
    let end = start;
    let removedTo = start;
    for (let comment = readComment(text, end); comment !== undefined; comment = readComment(text, end)) {
      if (license.test(text.slice(comment.from, comment.to))) removedTo = comment.to;
      else break;
      end = comment.to;
    }
    if (removedTo === start) return sample;
    const rest = text.slice(removedTo).replace(/^(?:[^\S\n]*\n)+/, '');
    // Comments alone are a licence rather than the header of something.
    return rest.trim() === '' ? sample : { ...sample, text: text.slice(0, start) + rest };
  },
});

function endOfPreamble(text: string): number {
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end === -1 || end - start > 300 || !preamble.test(text.slice(start, end))) return start;
    start = end + 1;
  }
}

/** The next comment behind blank lines: a block, or lines of comments that follow each other. */
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
