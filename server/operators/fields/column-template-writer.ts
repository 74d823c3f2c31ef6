import { Type } from 'typebox';
import { asText, defineColumnMapper, missingParam, valueOf } from './columns.ts';

export const columnTemplateWriter = defineColumnMapper({
  id: 'column-template-writer',
  version: '1.0.0',
  name: 'Write a column from a template',
  description:
    'Writes a text into a column, with column names in braces replaced by their values. null becomes an empty text; values other than texts are written as JSON.',
  params: Type.Object({
    column: Type.String({
      title: 'Column',
      default: 'text',
      minLength: 1,
      maxLength: 200,
      description: 'Column to write the text to',
    }),
    template: Type.String({
      title: 'Template',
      default: '{text}',
      maxLength: 10_000,
      description: 'Such as {title}: {body}; write {{ and }} for literal braces',
    }),
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Two columns',
      params: { template: '{title}\n\n{text}' },
      input: '{"title":"标题","text":"正文"}',
      output: '{"title":"标题","text":"标题\\n\\n正文"}',
    },
    {
      title: 'A new column',
      params: { column: 'key', template: '{{{lang}-{id}}}' },
      input: '{"lang":"en","id":7,"text":"x"}',
      output: '{"lang":"en","id":7,"text":"x","key":"{en-7}"}',
    },
    {
      title: 'Null becomes empty',
      params: { template: '{a}{text}' },
      input: '{"a":null,"text":"x"}',
      output: '{"a":null,"text":"x"}',
    },
  ],
  chinese: {
    name: '由其他列写出一列',
    description: '把模板中花括号里的列名换成列的值，写入一列。null 不写，文本以外的值写成 JSON。',
    params: {
      column: { title: '列', help: '写入文本的列' },
      template: { title: '模板', help: '如 {title}: {body}；{{ 和 }} 表示花括号' },
    },
    examples: { 'Two columns': '两列', 'A new column': '新的一列', 'Null becomes empty': 'null 不写' },
  },
  each: ({ column, template, missing }) => {
    const parts = Array.from(template.matchAll(/\{\{|\}\}|\{([^{}]+)\}|[{}]|[^{}]+/g));
    return (sample) => {
      let text = '';
      for (const [part, name] of parts) {
        if (name === undefined) text += part === '{{' ? '{' : part === '}}' ? '}' : part;
        else {
          const value = valueOf(sample.columns, name.trim(), missing);
          if (value === undefined) return sample;
          text += asText(value);
        }
      }
      return sample.columns[column] === text ? sample : { columns: { [column]: text } };
    };
  },
});
