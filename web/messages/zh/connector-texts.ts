/** 一个字段的中文名称，以及含义。 */
export type FieldText = { title: string; help?: string };

/** 一个连接器的中文：名称、说明、各配置字段，以及它自己的句子。 */
export type ConnectorText = {
  name: string;
  description: string;
  fields: Readonly<Record<string, FieldText>>;
  sentences?: Readonly<Record<string, string>>;
};

const http = {
  headers: { title: '请求头', help: '每个请求的头部。所有人都能看到它们：凭据请填在下面的字段中' },
  bearerToken: { title: 'Bearer 令牌', help: '以 Authorization: Bearer … 发送' },
  username: { title: '用户名', help: '基本认证的用户名' },
  password: { title: '密码', help: '基本认证的密码' },
  secretHeaders: { title: '保密的请求头', help: '不显示的头部，每行一个：X-API-Key: …' },
};

const filter = {
  include: { title: '包含', help: '要取的路径的模式，如 *.jsonl 或 **/2026/*；留空为全部' },
  exclude: { title: '排除', help: '不取的路径的模式' },
};

const rows = {
  table: { title: '表', help: '要读取的表或视图' },
  query: { title: '查询', help: '一条 SELECT，代替表；它不能修改任何内容' },
  incrementalColumn: {
    title: '递增列',
    help: '随每个新增或修改的行增长的列，如 id 或 updated_at：之后的运行只从其最后的值读起。不填则每次把所有行读入一个文件',
  },
  format: {
    title: '格式',
    help: '文件的格式。PARQUET 保留列的类型；没有对应类型的列成为文本，运行日志会列出它们。更改后会把所有行重新读入另外的文件',
  },
  fileName: { title: '文件名', help: '数据集中文件或文件夹的名称，不含扩展名；默认为表名' },
};

const server = {
  host: { title: '主机' },
  port: { title: '端口' },
  database: { title: '数据库' },
  user: { title: '用户' },
  password: { title: '密码', help: '该用户的密码' },
  tls: { title: 'TLS', help: '加密连接并检查服务器的证书' },
  certificateAuthority: { title: '证书颁发机构', help: '若证书由自有机构签发，填其 PEM' },
  settleSeconds: {
    title: '等待提交（秒）',
    help: '与递增列一起使用：一个事务到提交最多要多久。只读到这么多秒之前的最后一个值，更新的行由下一次运行读取。为 0 时，在一次运行之后才以较小的值提交的行会被漏掉',
  },
};

/** 各连接器的中文；没有的用服务端的英文。 */
export const connectorTexts: Readonly<Record<string, ConnectorText>> = {
  'http-files': {
    name: '网络文件',
    description: '下载一组网址。之后的运行按 ETag 和 Last-Modified 询问，只取有变化的；中断的下载从断点继续。',
    fields: {
      urls: { title: '网址', help: '各文件的网址；其路径即为在数据集中的路径' },
      ...http,
      maxFileBytes: { title: '文件字节数上限', help: '所取文件的最大字节数' },
      timeoutSeconds: { title: '时限（秒）', help: '一个文件的时限；一分钟没有发来内容的服务器总会被放弃' },
    },
  },
  'http-api': {
    name: 'JSON 接口',
    description:
      '逐页读取 JSON 接口的记录：按页码、偏移、游标或 Link 头。遵守 Retry-After；重复的分页会以原因结束运行。',
    fields: {
      url: { title: '网址', help: '第一页的网址' },
      recordsPath: { title: '记录的路径', help: '应答中记录列表的路径，如 data.items；若应答本身就是列表则留空' },
      paging: { title: '分页', help: '页码（PAGE）、偏移（OFFSET）、游标（CURSOR）或 Link 头（LINK）' },
      pageParam: { title: '页码参数', help: '填页码的参数' },
      sizeParam: { title: '每页条数参数', help: '填每页记录数的参数' },
      size: { title: '每页条数', help: '一次请求的记录数' },
      firstPage: { title: '首页页码' },
      offsetParam: { title: '偏移参数', help: '填要跳过的记录数的参数' },
      limitParam: { title: '条数参数', help: '填每页记录数的参数' },
      cursorParam: { title: '游标参数', help: '填游标的参数' },
      cursorPath: {
        title: '游标的路径',
        help: '应答中下一个游标或下一个网址的路径，如 meta.next、@odata.nextLink、data[-1].id 或 links["next.page"]',
      },
      cursorType: {
        title: '游标的种类',
        help: '该处是游标（VALUE）还是下一页的网址，可为相对网址（URL）；默认看起来像网址的即为网址',
      },
      requestsPerSecond: { title: '每秒请求数', help: '每秒最多的请求数' },
      fileName: { title: '文件名', help: '数据集中文件的名称，不含扩展名' },
      timeoutSeconds: { title: '时限（秒）', help: '一页的时限' },
      maxAnswerBytes: { title: '应答的最大字节数', help: '允许的最大应答；读入时占用数倍于此的内存' },
      ...http,
    },
  },
  'local-folder': {
    name: '服务器上的文件夹',
    description: '读取运行 Tilth 的机器上的文件夹及其子文件夹：磁盘或挂载的 NAS。只限管理员允许的文件夹，不跟随链接。',
    fields: { path: { title: '路径', help: '文件夹的绝对路径' }, ...filter },
  },
  postgresql: {
    name: 'PostgreSQL',
    description:
      '在只读事务中用游标读取表、视图或查询，内存恒定；写成 JSONL，或保留列类型的 Parquet。请使用只有 SELECT 权限的用户。',
    fields: { ...server, ...rows },
  },
  mysql: {
    name: 'MySQL、MariaDB',
    description:
      '在只读事务中逐行读取表或查询，内存恒定；写成 JSONL，或保留列类型的 Parquet。数字保留全部位数，时间为 UTC；服务器的警告（如被截断的值）记入日志。',
    fields: { ...server, ...rows },
  },
  sqlite: {
    name: 'SQLite 文件',
    description: '读取运行 Tilth 的机器上 SQLite 数据库的表或查询，只限管理员允许的文件夹；写成 JSONL 或 Parquet。',
    fields: { path: { title: '路径', help: '数据库的绝对路径' }, ...rows },
  },
  rss: {
    name: 'RSS 和 Atom',
    description: '把订阅源的条目读为行；之后的运行只取新增或有变化的，订阅源删去的仍留在数据集中。',
    fields: {
      url: { title: '网址', help: '订阅源的网址' },
      fileName: { title: '文件夹名', help: '数据集中文件夹的名称；默认为主机名' },
      ...http,
    },
  },
  s3: {
    name: 'S3 存储桶',
    description: '读取 Amazon S3 或任意兼容服务器的存储桶中的对象，含前缀之下的全部；之后的运行按 ETag 只取有变化的。',
    fields: {
      endpoint: { title: '端点', help: '服务器的地址；默认为该区域的 Amazon S3' },
      region: { title: '区域' },
      bucket: { title: '存储桶' },
      keyPrefix: { title: '键前缀', help: '只取以此开头的键；它不属于数据集中的路径' },
      accessKeyId: { title: '访问密钥 ID', help: '不填则只能读取公开的存储桶' },
      secretAccessKey: { title: '访问密钥的机密', help: '与访问密钥 ID 配对的机密' },
      sessionToken: { title: '会话令牌', help: '临时凭据的令牌' },
      ...filter,
    },
  },
  sftp: {
    name: 'SFTP',
    description:
      '读取 SSH 服务器上的文件夹及其子文件夹；之后的运行只取大小或时间有变化的，中断的连接从断点继续。须先确认主机密钥；不跟随链接。',
    fields: {
      host: { title: '主机' },
      port: { title: '端口' },
      user: { title: '用户' },
      password: { title: '密码', help: '该用户的密码' },
      privateKey: { title: '私钥', help: '该用户的私钥，OpenSSH 或 PEM 格式' },
      passphrase: { title: '私钥口令', help: '打开私钥的口令' },
      hostKey: {
        title: '主机密钥',
        help: '识别服务器的密钥的指纹，如 ssh-keygen -l 显示的 SHA256:…。不填时测试会显示该指纹，且不发送任何凭据',
      },
      path: { title: '路径', help: '要读取的文件夹；相对路径从用户登录后所在处算起' },
      ...filter,
    },
  },
  git: {
    name: 'Git 仓库',
    description:
      '通过 HTTP 或 HTTPS 取仓库某个分支、标签或提交的文件。之后的运行只取内容有变化的，每个文件按其标识核对。子模块、链接和 Git LFS 指针会列出而不取。',
    fields: {
      url: { title: '网址', help: '仓库的网址，如 https://example.org/team/data.git' },
      revision: { title: '版本', help: '分支、标签或提交的完整标识；HEAD 为仓库默认的分支' },
      folder: { title: '文件夹', help: '只取此文件夹的文件；它不属于文件的路径' },
      username: { title: '用户名', help: '多数 Git 服务器不需要' },
      password: { title: '访问令牌或密码', help: '访问令牌，或该用户的密码' },
      bearerToken: { title: 'Bearer 令牌', help: '以 Authorization: Bearer … 发送，用于需要它的服务器' },
      nameEncoding: { title: '名称编码', help: '不是 UTF-8 的名称的编码' },
      maxPackBytes: { title: '应答字节数上限', help: '服务器一次应答的最大字节数；它们暂存于服务的磁盘' },
      ...filter,
    },
  },
  huggingface: {
    name: 'Hugging Face 数据集',
    description: '下载数据集仓库某个版本的文件，端点可自定。之后的运行只取内容有变化的；大文件按 SHA-256 核对。',
    fields: {
      repository: { title: '仓库', help: '数据集的名称，如 org/name' },
      revision: { title: '版本', help: '分支、标签或提交' },
      endpoint: { title: '端点', help: 'Hub 的地址' },
      token: { title: '访问令牌', help: '用于私有和受限的数据集' },
      ...filter,
    },
  },
  'web-crawl': {
    name: '网站页面',
    description:
      '从起始网址抓取同一站点的网页，保存正文与出处。遵守 robots.txt、noindex 和 nofollow，页数、字节和时间预算绝不超出；每个见到的网址都有结果和原因。之后的运行只取有变化的网页。',
    fields: {
      startUrls: { title: '起始网址', help: '从这些网址开始，深度为 0' },
      scope: {
        title: '范围',
        help: '跟随哪些链接。SITE：起始网址的可注册域名下的所有主机；HOST：只限起始网址的主机',
      },
      maxPages: { title: '最多网页数', help: '一次运行最多请求的网页，无论得到什么回答；重定向和重试算在所属网页内' },
      maxDepth: { title: '最大深度', help: '距起始网址最多几个链接；0 表示只取起始网址' },
      maxBytes: { title: '最多字节数', help: '一次运行最多接收的字节，包括 robots.txt 和站点地图' },
      maxSeconds: { title: '最长秒数', help: '抓取的最长时间' },
      maxPageBytes: { title: '单页最大字节数', help: '允许抓取的最大网页或文档' },
      requestsPerSecond: {
        title: '每秒请求数',
        help: '每秒对一台主机的最多请求；robots.txt 中更长的 Crawl-delay 会被遵守',
      },
      parallelPerHost: { title: '每台主机的并行请求', help: '同时对一台主机的请求' },
      format: {
        title: '格式',
        help: 'MARKDOWN：正文。JSONL：一行，含网址、标题、语言、作者、日期和 Markdown 正文。HTML：网页原样。每个网页一个文件',
      },
      documents: { title: '文档', help: '是否也按原样抓取 PDF、办公文档、CSV、JSON 和 XML' },
      sitemaps: { title: '站点地图', help: '是否从 robots.txt 指明的站点地图或 /sitemap.xml 读取链接' },
      reserved: {
        title: '声明保留的网页',
        help: '声明保留文本与数据挖掘权利（TDM Reservation Protocol）或 noai 的网页。KEEP：保留，声明记录在依据中；LEAVE_OUT：不取',
      },
      include: { title: '包含', help: '要抓取的路径的模式，如 docs/** 或 **/2026/*；起始网址总会抓取' },
      exclude: { title: '排除', help: '不抓取的路径的模式' },
      maxQueryVariants: {
        title: '查询变体上限',
        help: '同一路径下仅查询不同的网址最多几个：日历和搜索会无穷无尽',
      },
      ...http,
    },
  },
};

/** 各连接器自己的句子，按代码。 */
export const connectorSentences: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(connectorTexts).map(({ sentences }) => sentences ?? {}),
);
