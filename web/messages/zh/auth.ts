export const auth = {
  signIn: {
    title: '登录',
    lead: '为机器学习准备数据：采集、清洗、检索。',
    username: '用户名',
    password: '密码',
    submit: '登录',
    firstStart: '首次启动？“admin”的密码已显示在启动服务的终端里。',
    wrong: '用户名或密码错误。',
    throttled: '失败次数过多，请等待 {{minutes}} 分钟后再试。',
    required: '请填写',
  },
  expired: {
    title: '请重新登录',
    lead: '会话已结束。您输入的内容仍在，登录后页面会从原处继续。',
    other: '使用其他账号登录',
  },
};
