/** 算子分类的中文。 */
export const operatorCategories: Readonly<Record<string, string>> = {
  characters: '字符',
  cleaning: '清理',
  deduplication: '去重',
  extraction: '提取',
  fields: '表格列',
  filter: '过滤',
  images: '图片',
  language: '语言',
  length: '长度',
  normalization: '规范化',
  privacy: '隐私',
  quality: '质量',
  selection: '选取',
  splitting: '拆分',
  web: '网页',
  whitespace: '空白',
};
