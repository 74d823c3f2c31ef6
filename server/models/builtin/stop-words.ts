/** Words without a topic of their own: never worth a question. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also although am an and another any are as at be because been before being below ' +
    'between both but by can cannot could did do does doing done down during each either else even ever every few first for ' +
    'from further get had has have having he her here hers herself him himself his how however i if in into is it its itself ' +
    'just last less like made make many may me might more most much must my myself neither never next no nor not now of off ' +
    'often on once one only or other our ours out over own per perhaps rather same second shall she should since so some such ' +
    'than that the their theirs them themselves then there therefore these they thing things this those though three through ' +
    'thus to together too two under until up upon us use used uses using very via was we well were what when where whether ' +
    'which while who whom whose why will with within without would yet you your yours yourself'
  ).split(' '),
);

/** Chinese stop words. */
export const chineseStopWords: ReadonlySet<string> = new Set(
  (
    '一个 一些 一种 一样 一般 一定 一直 一下 不是 不会 不能 不同 不过 不仅 之后 之前 之间 也是 也有 了解 于是 人们 什么 今天 他们 但是 你们 ' +
    '使用 例如 其中 其他 其它 具有 几个 出现 包括 及其 只有 只是 可以 可能 各种 同时 后来 因为 因此 多个 如何 如果 它们 对于 已经 并且 开始 当时 ' +
    '很多 怎么 情况 成为 我们 或者 所以 所有 方面 时候 时间 是否 曾经 有些 有的 有关 根据 没有 然后 然而 现在 由于 目前 直到 相关 第一 第二 第三 ' +
    '能够 自己 虽然 被称 许多 认为 让人 起来 这个 这些 这样 这种 进行 还是 还有 这里 那个 那些 那么 那里 部分 都是 非常 需要 通过 主要 以及 以后 ' +
    '以前 为了 为什 其实 就是 而且 而是 更加 最后 最终 特别 作为 属于 称为 位于 来自'
  ).split(' '),
);
