// Made from the files of this folder by `npm run docs`; do not edit.
import { git } from './git.ts';
import { httpApi } from './http-api.ts';
import { httpFiles } from './http-files.ts';
import { huggingface } from './huggingface.ts';
import { localFolder } from './local-folder.ts';
import { mysql } from './mysql.ts';
import { postgresql } from './postgresql.ts';
import { rss } from './rss.ts';
import { s3 } from './s3.ts';
import { sftp } from './sftp.ts';
import { sqlite } from './sqlite.ts';
import { webCrawl } from './web-crawl.ts';
import type { Connector } from './connector.ts';

/** The connectors. */
export const connectors: readonly Connector[] = [
  git,
  httpApi,
  httpFiles,
  huggingface,
  localFolder,
  mysql,
  postgresql,
  rss,
  s3,
  sftp,
  sqlite,
  webCrawl,
];
