/** 计数的文字。 */
export const counting = {
  title: '计数',
  lead: '清点数据集的文件，一次或定期。',
  create: '新建计数任务',
  edit: '编辑 {{name}}',
  empty: { title: '还没有计数任务', lead: '任务清点一个数据集的文件。' },
  files: '文件',
  form: { name: '名称', dataset: '数据集' },
  run: { counted: '该数据集有 {{files}} 个文件' },
  task: {
    deleteTitle: '删除 {{name}}？',
    deleteAction: '删除任务',
    deleteExplained: '其运行也会删除。数据集保持不变。',
    deleted: '已删除 {{name}}',
  },
};
