// Made from the files of this folder by `npm run docs`; do not edit.
import { httpApi } from './http-api.ts';
import { httpFiles } from './http-files.ts';
import { localFolder } from './local-folder.ts';
import { postgresql } from './postgresql.ts';
import { sqlite } from './sqlite.ts';
import type { Connector } from './connector.ts';

/** The connectors. */
export const connectors: readonly Connector[] = [httpApi, httpFiles, localFolder, postgresql, sqlite];
