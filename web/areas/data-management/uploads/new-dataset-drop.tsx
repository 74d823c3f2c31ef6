import { FileChooser } from './file-chooser.tsx';
import { useNewDataset } from './use-new-dataset.ts';

/** A drop zone that turns files and folders into a dataset at once. */
export function NewDatasetDrop() {
  const create = useNewDataset();
  return <FileChooser onChoose={(files) => create.mutate(files)} />;
}
