/** Texts of counting. */
export const counting = {
  title: 'Counting',
  lead: 'Count the files of a dataset, once or on a schedule.',
  create: 'New counting task',
  edit: 'Edit {{name}}',
  empty: { title: 'No counting tasks yet', lead: 'A task counts the files of a dataset.' },
  files: 'Files',
  form: { name: 'Name', dataset: 'Dataset' },
  run: { counted: 'The dataset has {{files}} files' },
  task: {
    deleteTitle: 'Delete {{name}}?',
    deleteAction: 'Delete the task',
    deleteExplained: 'Its runs are deleted, too. The dataset stays as it is.',
    deleted: 'Deleted {{name}}',
  },
};
