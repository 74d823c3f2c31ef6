/** 各连接器的中文名称和说明；没有的用服务端的英文。 */
export const connectorTexts: Readonly<Record<string, { name: string; description: string } | undefined>> = {
  'http-files': {
    name: '网络文件',
    description: '下载一组网址。之后的运行按 ETag 和 Last-Modified 询问，只取有变化的；中断的下载从断点继续。',
  },
  'http-api': {
    name: 'JSON 接口',
    description:
      '逐页读取 JSON 接口的记录：按页码、偏移、游标或 Link 头。遵守 Retry-After；重复的分页会以原因结束运行。',
  },
  'local-folder': {
    name: '服务器上的文件夹',
    description: '读取运行 Tilth 的机器上的文件夹及其子文件夹：磁盘或挂载的 NAS。只限管理员允许的文件夹，不跟随链接。',
  },
  postgresql: {
    name: 'PostgreSQL',
    description: '在只读事务中用游标读取表、视图或查询，内存恒定，类型保留。',
  },
  sqlite: {
    name: 'SQLite 文件',
    description: '读取运行 Tilth 的机器上 SQLite 数据库的表或查询，只限管理员允许的文件夹。',
  },
  mysql: { name: 'MySQL、MariaDB', description: '在只读事务中逐行读取表或查询，内存恒定。' },
  rss: { name: 'RSS 和 Atom', description: '读取订阅源的条目；之后的运行只取新条目。' },
  s3: { name: 'S3 存储', description: '读取任意 S3 端点的对象，含所有子目录；之后的运行按 ETag 只取有变化的。' },
  sftp: { name: 'SFTP', description: '读取 SFTP 服务器上的文件夹及其子文件夹；之后的运行只取有变化的。' },
  huggingface: { name: 'Hugging Face', description: '读取数据集仓库某个版本的文件，端点可自定。' },
  git: { name: 'Git 仓库', description: '读取仓库某个版本的文件。' },
  'web-crawl': {
    name: '网页抓取',
    description: '从起始网址抓取同一站点的网页，遵守 robots.txt 和预算，保存正文与出处。',
  },
};
