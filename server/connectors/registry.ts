// Made from the files of this folder by `npm run docs`; do not edit.
import { httpFiles } from './http-files.ts';
import { localFolder } from './local-folder.ts';
import type { Connector } from './connector.ts';

/** The connectors. */
export const connectors: readonly Connector[] = [httpFiles, localFolder];
