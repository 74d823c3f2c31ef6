// The dataset that journeys of synthesis read.
import type { RunningApp } from '../support/server.ts';
import { datasetWithFiles } from './datasets.ts';

const files = {
  'broken.pdf': '%PDF-1.7 nothing',
  'soil.md':
    '# Soil\n\nTillage loosens the upper layer of the soil before sowing. A disc harrow cuts the roots of tall weeds.\n',
  'rows.csv': 'id,text\n1,"The disc harrow crumbles heavy clods of soil before the wheat is sown"\n2,short\n',
};

/** Creates a dataset of texts, one of which can't be read; returns its id. */
export function createSource(app: RunningApp, name: string): Promise<string> {
  return datasetWithFiles(app, name, files);
}
