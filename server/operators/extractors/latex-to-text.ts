import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { textOfLatex } from './latex.ts';

/** A text without any command is not LaTeX: a `%` in it begins no comment. */
const anyCommand = /\\(?:[a-zA-Z]{2,}|[([])/;

export const latexToText = defineOperator({
  id: 'latex-to-text',
  version: '1.1.0',
  name: 'LaTeX to text',
  description:
    'Converts the body of a LaTeX document to text. Comments, labels, references, citations and definitions are removed; other commands keep only the content of their braces; accents and symbols become characters; headings are set apart; list items begin with a hyphen and their term. Layout arguments (widths, colours, columns) and \\iffalse blocks are removed, and siunitx units become symbols. Formulas are kept as written or dropped. Macros are not expanded. A text without commands is unchanged. Commands follow Lamport, "LaTeX: A Document Preparation System", 2nd edition.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['extraction'],
  params: Type.Object({
    math: Type.Union([Type.Literal('KEEP'), Type.Literal('DROP')], {
      title: 'Formulas',
      default: 'KEEP',
      description: 'KEEP: keep formulas as written. DROP: leave them out',
    }),
    tables: Type.Union([Type.Literal('KEEP'), Type.Literal('DROP')], {
      title: 'Tables',
      default: 'KEEP',
      description: 'KEEP: write one line per row, with | between cells. DROP: leave tables out',
    }),
  }),
  examples: [
    {
      title: 'Commands are removed, their text is kept',
      params: {},
      input:
        '\\documentclass{article}\n\\begin{document}\n\\section{数据}\\label{s}\nSome \\textbf{bold} text~\\cite{a,b}. % no\nIt costs 5\\% more.\n\\end{document}\n',
      output: '数据\n\nSome bold text . It costs 5% more.',
    },
    {
      title: 'Accents, quotes and dashes',
      params: {},
      input: "\\emph{G\\\"odel}, \\'{e}t\\'e, Ho\\v{r}ava: ``yes'' --- 3--5\\ldots",
      output: 'Gödel, été, Hořava: “yes” — 3–5…',
    },
    {
      title: 'Formulas are kept',
      params: {},
      input: 'Let $x^2$ be \\textit{it}: \\[ a_1 \\] and\n\\begin{equation}\nE = mc^2\n\\end{equation}',
      output: 'Let $x^2$ be it: \\[ a_1 \\] and\n\nE = mc^2',
    },
    { title: 'Formulas dropped', params: { math: 'DROP' }, input: 'Let $x^2$ be \\textit{it}.', output: 'Let be it.' },
    {
      title: 'Lists and tables',
      params: {},
      input:
        '\\begin{itemize}\n\\item One\n\\item[$\\bullet$] Two\\footnote{Or not.}\n\\end{itemize}\n\\begin{tabular}{l|r}\\hline\na & 1 \\\\\nb & 2\n\\end{tabular}',
      output: '- One\n- Two (Or not.)\n\na | 1\nb | 2',
    },
    {
      title: 'Code is unchanged',
      params: {},
      input: '\\begin{verbatim}\nif x: # 50%\n  \\end\n\\end{verbatim}',
      output: 'if x: # 50%\n  \\end',
    },
    {
      title: 'Inline code',
      params: {},
      input: 'Use \\verb|50%| of it, then go on.\nNext \\lstinline[language=C]{a%b}.',
      output: 'Use 50% of it, then go on. Next a%b.',
    },
    {
      title: 'Layout arguments are removed',
      params: {},
      input:
        '\\multicolumn{2}{c}{\\textbf{All models}}, \\multirow{2}{*}{cell}, \\textcolor{red}{warn}, \\parbox[t]{3cm}{pb}, \\raisebox{2pt}{up}, \\resizebox{\\textwidth}{!}{it}\n\\begin{minipage}[t]{0.5\\textwidth}mp\\end{minipage}\\begin{multicols}{2}text\\end{multicols}',
      output: 'All models, cell, warn, pb, up, it\n\nmp\n\ntext',
    },
    {
      title: 'Terms, units, conditions and definitions',
      params: {},
      input:
        '\\def\\foo{bar}\\newcommand\\x[1]{y}\\let\\a=\\b\\iffalse hidden \\fi It ran \\SI{5}{\\kilo\\meter\\per\\second}.\\begin{description}\\item[CPU] fast\\item[--] \\SI{9}{m^2}\\end{description}',
      output: 'It ran 5 km/s.\n\n- CPU fast\n- 9 m^2',
    },
    {
      title: 'Text without commands is unchanged',
      params: {},
      input: 'It is 50% off & $5, C:\\a',
      output: 'It is 50% off & $5, C:\\a',
    },
  ],
  chinese: {
    name: 'LaTeX 转文本',
    description:
      '写出 LaTeX 文档正文的文本：注释、标签、引用、文献引用和定义去掉，其他命令留下花括号中的内容，重音和符号变为字符，标题单独成段，列表项前加连字符和其术语；排版参数（宽度、颜色、列）和不成立的条件去掉，siunitx 的单位变为符号。公式原样保留或去掉。不展开宏。没有命令的文本保持不变。命令依照 Lamport 的 "LaTeX: A Document Preparation System" 第二版。',
    params: {
      math: { title: '公式', help: 'KEEP：公式原样保留。DROP：去掉公式' },
      tables: { title: '表格', help: 'KEEP：每行一行，单元格间用 |。DROP：去掉表格' },
    },
    examples: {
      'Commands are removed, their text is kept': '命令去掉，文字保留',
      'Accents, quotes and dashes': '重音、引号和破折号',
      'Formulas are kept': '保留公式',
      'Formulas dropped': '或去掉公式',
      'Lists and tables': '列表和表格',
      'Code is unchanged': '代码保持原样',
      'Inline code': '行内代码',
      'Layout arguments are removed': '排版参数去掉',
      'Terms, units, conditions and definitions': '术语、单位、条件和定义',
      'Text without commands is unchanged': '没有命令的文本保留',
    },
  },
  each:
    ({ math, tables }) =>
    (sample) => {
      if (!anyCommand.test(sample.text)) return sample;
      const text = textOfLatex(sample.text, { keepsMath: math === 'KEEP', keepsTables: tables === 'KEEP' });
      return text === sample.text ? sample : { ...sample, text };
    },
});
