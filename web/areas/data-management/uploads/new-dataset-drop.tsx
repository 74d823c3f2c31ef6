import { FileChooser } from './file-chooser.tsx';
import { useNewDataset } from './use-new-dataset.ts';

/** A field for files and folders that become a dataset at once. */
export function NewDatasetDrop() {
  const create = useNewDataset();
  return <FileChooser onChoose={(files) => create.mutate(files)} />;
}
