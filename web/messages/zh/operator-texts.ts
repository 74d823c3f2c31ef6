// Made from the operators by `npm run docs`; do not edit.
import type { OperatorText } from '../operator-texts.ts';

/** The Chinese texts of the built-in operators, by their ids. */
export const operatorTexts: Readonly<Record<string, OperatorText>> = {
  "alphabetic-word-ratio-filter": {
    "name": "按含字母的词占比过滤",
    "description": "剔除含字母的词元少于 `min` 的样本：数字表格、代码、日志（如 Gopher 规则，Rae 等，2021，取 0.8）。词元是词、数和标点；每个汉字算一个。",
    "measures": {
      "alphabeticWords": "含字母的词元所占的比例"
    },
    "params": {
      "min": {
        "title": "含字母的词的最小占比",
        "help": "保留的含字母的词元的最小占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Chinese": "中文",
      "Figures": "数字"
    }
  },
  "balance-selector": {
    "name": "平衡类别",
    "description": "在全部输入中，按列的每个值保留一定数量的样本，使类别平衡，剔除其余的：与最小的类别一样多、每类一定数量，或按权重分配份额。抽到哪些只取决于 `seed` 和样本在输入中的位置。值按文本区分：1 和 \"1\"、true 和 \"true\" 是同一类。缺少的列视为 null，日志说明有多少样本缺少；如果全部缺少，运行失败。",
    "params": {
      "column": {
        "title": "列",
        "help": "其值即类别"
      },
      "to": {
        "title": "数量",
        "help": "SMALLEST：每类与最小的类别一样多。COUNT：每类一定数量。WEIGHTS：按权重分配份额，以所有类别都能填满为限"
      },
      "count": {
        "title": "每类样本数",
        "help": "用于 COUNT；较小的类别全部保留，日志会说明"
      },
      "weights": {
        "title": "权重",
        "help": "用于 WEIGHTS，如 en=2, zh=1；含逗号的名称用引号括起，如 \"red, blue\"=2。没有权重的类别剔除"
      },
      "seed": {
        "title": "种子",
        "help": "换一个数就抽到别的样本"
      }
    },
    "examples": {
      "As many as the smallest class": "与最小的类别一样多",
      "Shares by weights": "按权重分配份额"
    }
  },
  "broken-image-filter": {
    "name": "剔除损坏的图片",
    "description": "剔除不含完整图片的文件：空文件、被截断或损坏的文件、无法读取的格式（HEIC、SVG）、超过一亿像素的图片，以及按需剔除名称与格式不符的文件。会读取全部像素，APNG 动图只读取第一帧。",
    "params": {
      "checkName": {
        "title": "检查名称",
        "help": "是否剔除名称与格式不符的文件"
      }
    },
    "examples": {
      "Whole": "完整",
      "Cut off": "被截断",
      "Empty": "空文件"
    }
  },
  "bullet-line-ratio-filter": {
    "name": "按项目符号行占比过滤",
    "description": "剔除超过 `max` 的行以项目符号或短横开头的样本：菜单、链接列表（如 Gopher 规则，Rae 等，2021）。空行不计。",
    "measures": {
      "bulletLines": "以项目符号开头的行所占的比例"
    },
    "params": {
      "max": {
        "title": "项目符号行的最大占比",
        "help": "保留的项目符号行的最大占比，0 到 1"
      }
    },
    "examples": {
      "A list in a text": "文中的列表",
      "Nothing but a list": "只有列表"
    }
  },
  "caption-remover": {
    "name": "去除图表标题",
    "description": "去掉图表的标题行：标签和编号（Figure 3、Table 2-1、图 1、表2-1），其后是冒号、句点、破折号或标题文字。提到图表的句子保留，如“Table 3 shows …”“图 3 给出了…”。",
    "params": {},
    "examples": {
      "Captions go": "去掉图表标题",
      "Sentences stay": "句子保留",
      "A label needs a number of its own": "标签须有自己的编号",
      "Letters and Roman numbers": "字母和罗马数字编号",
      "Chinese": "中文",
      "A title without a point": "没有句点的标题",
      "A caption of several lines": "多行标题"
    }
  },
  "category-filter": {
    "name": "按列值过滤",
    "description": "保留或剔除列值属于给定值的样本。文本按原样比较，可选不分大小写；其他值按 JSON 比较，如 1、true 或 null。",
    "params": {
      "column": {
        "title": "列",
        "help": "由其值决定的列"
      },
      "values": {
        "title": "值",
        "help": "用逗号分隔；含逗号的值加引号"
      },
      "mode": {
        "title": "处理方式",
        "help": "KEEP：保留这些值的样本。DROP：剔除它们"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "大小写是否视为相同"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      }
    },
    "examples": {
      "Kept": "保留",
      "Another value": "其他值",
      "Dropped": "剔除"
    }
  },
  "character-repetition-filter": {
    "name": "按字符重复过滤",
    "description": "剔除由 `ngram` 个字符组成的字符串中，超过 `max` 的在同一文本里先前出现过的样本：用符号画的线、填充文字、不断重复的短语（字符 n-gram，如 ROOTS 的清洗，Laurençon 等，2022）。",
    "measures": {
      "repeatedCharacters": "重复的十字符串所占的比例"
    },
    "params": {
      "ngram": {
        "title": "字符串的字符数",
        "help": "一个字符串的字符数；中文取 5"
      },
      "max": {
        "title": "重复字符串的最大占比",
        "help": "保留的重复字符串的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "A drawn line": "用符号画的线",
      "Chinese": "中文"
    }
  },
  "chinese-id-masker": {
    "name": "遮盖身份证号",
    "description": "用标记代替中国居民身份证号（GB 11643-1999）：地区和出生日期存在，且校验码正确（ISO 7064，MOD 11-2）。15 位的旧号码只在“身份证”等词旁才算。",
    "examples": {
      "A right check digit": "校验码正确",
      "In groups": "分组书写",
      "An old number": "旧号码",
      "Stars": "星号",
      "No such day": "没有这一天"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "chunk-splitter": {
    "name": "拆分为块",
    "description": "把文本切成不超过 `size` 的块，每块成为一个样本，切法与知识库相同：依次在标题、段落、行、句子、词之间切开，不会切得比必要的更细；表格和代码块在四倍大小以内保持完整。除空白外不丢失任何文字，每块可以重复前一块的末尾。",
    "params": {
      "strategy": {
        "title": "切分位置",
        "help": "RECURSIVE：尽量大，在最大的部分之间切。MARKDOWN：块不跨标题。PARAGRAPH：每段一块。SENTENCE：在句子之间切。FIXED：每满 `size` 切一次"
      },
      "size": {
        "title": "最大块",
        "help": "每块最多的字符数或词元数"
      },
      "overlap": {
        "title": "重叠",
        "help": "后一块最多重复前一块末尾的字符数或词元数"
      },
      "unit": {
        "title": "单位",
        "help": "CHARACTERS：字符（码点）。TOKENS：o200k_base 的词元，与其他模型接近"
      },
      "headings": {
        "title": "重复标题",
        "help": "在每块前写上所属章节的标题，不计入大小"
      }
    },
    "examples": {
      "Between paragraphs": "在段落之间",
      "With an overlap": "带重叠",
      "By headings, which are repeated": "按标题，并重复标题",
      "What fits stays as it is": "放得下的保持原样"
    }
  },
  "column-case-normalizer": {
    "name": "列的大小写",
    "description": "按 Unicode 规则把列中的文本写成小写、大写或每词首字母大写。其他值不变。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "case": {
        "title": "大小写",
        "help": "LOWER：小写。UPPER：大写。TITLE：每词首字母大写"
      }
    },
    "examples": {
      "Lower case": "小写",
      "Upper case": "大写",
      "Words": "按词"
    }
  },
  "column-caster": {
    "name": "转换列的类型",
    "description": "把列的值变为文本、整数、数字、真假值，或把文本作为 JSON 读取。不做舍入：带小数的不是整数，超过 15 位有效数字的保持文本。null 保持不变。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "unreadable": {
        "title": "无法识别的值",
        "help": "FAIL：样本失败，原因中给出该值。KEEP：保留原值。NULL：变为 null"
      },
      "type": {
        "title": "类型",
        "help": "TEXT：其他值写成 JSON。INTEGER、NUMBER：带符号的数字。BOOLEAN：true、yes、1、是及其反义。JSON：把文本作为 JSON 读取"
      }
    },
    "examples": {
      "Numbers": "数字",
      "Whole numbers": "整数",
      "Truth values": "真假值",
      "Texts": "文本",
      "JSON": "读取 JSON",
      "More digits than a number has": "超出数字精度",
      "An id of many digits": "位数很多的编号"
    }
  },
  "column-date-normalizer": {
    "name": "规范列中的日期",
    "description": "读取人们书写的日期（可带时间），按 ISO 8601 写出：2024-03-05、2024/3/5、2024年3月5日、5 March 2024、Mar 5, 2024、5.3.2024，以及按所选顺序的 3/5/2024。时间保留原有的时差，不另加。不存在的日子和两位数年份无法识别。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "unreadable": {
        "title": "无法识别的值",
        "help": "FAIL：样本失败，原因中给出该值。KEEP：保留原值。NULL：变为 null"
      },
      "order": {
        "title": "顺序",
        "help": "3/5/2024 和 3-5-2024 的含义。DMY：五月三日。MDY：三月五日。用点分隔时总是日在前"
      },
      "output": {
        "title": "写出",
        "help": "DATE：只写日期。DATE_TIME：有时间则带时间，如 2024-03-05T14:30:00+01:00"
      }
    },
    "examples": {
      "Chinese and English": "中文和英文",
      "Day and month": "日和月",
      "With the time": "带时间",
      "A day that does not exist": "不存在的日子"
    }
  },
  "column-filler": {
    "name": "填充空列",
    "description": "在缺少的列、值为 null 的列，以及（可选）空文本的列中写入一个值。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "value": {
        "title": "值",
        "help": "写入的内容；类型为 JSON 时如 0、true 或 [\"a\"]"
      },
      "type": {
        "title": "类型",
        "help": "TEXT：原样写入。JSON：数字、true、false、null、列表或对象"
      },
      "empty": {
        "title": "包括空文本",
        "help": "只有空白的文本也填充"
      }
    },
    "examples": {
      "Null and empty": "null 和空文本",
      "Missing": "缺少的列",
      "What is there stays": "已有的保留"
    }
  },
  "column-number-normalizer": {
    "name": "规范列中的数字",
    "description": "读取人们书写的数字并写成数字：千位分隔符、货币符号和代码、全角数字、百分号、k、M、千、万、亿，以及表示负数的括号。不是三位一组的不算千位分隔：小数点为点时 1,23 无法识别。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "unreadable": {
        "title": "无法识别的值",
        "help": "FAIL：样本失败，原因中给出该值。KEEP：保留原值。NULL：变为 null"
      },
      "decimal": {
        "title": "小数点",
        "help": "POINT：点，如 1,234.5。COMMA：逗号，如 1.234,5"
      }
    },
    "examples": {
      "Thousands and currencies": "千位和货币",
      "Codes of currencies and millions": "货币代码和百万",
      "A truth value is no number": "真假值不是数字",
      "Percent and brackets": "百分号和括号",
      "Decimal comma": "小数逗号",
      "What is no number": "不是数字"
    }
  },
  "column-remover": {
    "name": "去掉列",
    "description": "去掉行中列出的列；其余字节不变。存放文本的列不能去掉。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      }
    },
    "examples": {
      "One of three": "三列去一列",
      "If it is there": "如果存在"
    }
  },
  "column-renamer": {
    "name": "列改名",
    "description": "给列换名；值的位置和字节不变。新名已被其他列占用的样本失败。",
    "params": {
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "names": {
        "title": "旧名和新名",
        "help": "如 content=text, lang=language"
      }
    },
    "examples": {
      "Two columns": "两列",
      "If they are there": "如果存在"
    }
  },
  "column-selector": {
    "name": "只保留部分列",
    "description": "去掉行中未列出的列；保留的列字节不变。存放文本的列必须保留。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      }
    },
    "examples": {
      "Two of three": "三列留两列",
      "A name with a comma": "带逗号的列名",
      "Without names, all stay": "不填则全部保留"
    }
  },
  "column-template-writer": {
    "name": "由其他列写出一列",
    "description": "把模板中花括号里的列名换成列的值，写入一列。null 不写，文本以外的值写成 JSON。",
    "params": {
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "column": {
        "title": "列",
        "help": "写入文本的列"
      },
      "template": {
        "title": "模板",
        "help": "如 {title}: {body}；{{ 和 }} 表示花括号"
      }
    },
    "examples": {
      "Two columns": "两列",
      "A new column": "新的一列",
      "Null is nothing": "null 不写"
    }
  },
  "column-trimmer": {
    "name": "去掉列首尾空白",
    "description": "去掉列中文本首尾的 Unicode 空白（包括全角空格），可选把中间的连续空白变为一个空格。其他值不变。",
    "params": {
      "columns": {
        "title": "列",
        "help": "列名，用逗号分隔"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "inner": {
        "title": "包括中间",
        "help": "连续空白变为一个空格"
      }
    },
    "examples": {
      "Both ends": "首尾",
      "Within": "中间",
      "Numbers stay": "数字不变"
    }
  },
  "control-character-remover": {
    "name": "去除控制字符",
    "description": "去掉读者看不见的字符：控制码（C0、DEL、C1）、零宽空格、字节顺序标记，并可按需去掉双向文字的控制符。制表符和换行保留；垂直制表符、换页符和 NEL 变为换行，记录分隔符变为空格：不会把词连在一起。请先修复乱码，C1 控制码是乱码的一部分。",
    "measures": {
      "controlCharacters": "控制字符、零宽字符和双向控制符的个数"
    },
    "params": {
      "zeroWidth": {
        "title": "零宽字符",
        "help": "同时去掉零宽空格、软连字符、单词连接符和字节顺序标记（参与拼写的连接符，以及泰文、高棉文词间的零宽空格保留）"
      },
      "bidi": {
        "title": "双向文字控制符",
        "help": "同时去掉双向文字的嵌入、覆盖和隔离符，它们会使文字读起来与实际不同"
      }
    },
    "examples": {
      "Control codes go": "去掉控制码",
      "Tabs and line ends stay": "保留制表符和换行",
      "Other line breaks become line feeds": "其他换行变为换行符",
      "Separators become spaces, | stays": "分隔符变为空格，| 保留",
      "Soft hyphens go": "去掉软连字符",
      "Spaces between Thai words stay": "泰文词间的空格保留",
      "Zero-width characters go": "去掉零宽字符",
      "Zero-width characters stay on request": "按需保留零宽字符",
      "Joiners are spelling": "连接符参与拼写",
      "Overrides stay by default": "默认保留双向控制符",
      "Overrides go on request": "按需去掉双向控制符"
    }
  },
  "credit-card-masker": {
    "name": "遮盖支付卡号",
    "description": "用标记代替支付卡号：前缀、长度和分组符合已知发卡机构（Visa、Mastercard、Maestro、美国运通、大来、Discover、JCB、银联、Mir、Elo），且校验位正确（Luhn，ISO/IEC 7812-1）。其他长数字保留。",
    "examples": {
      "A right check digit": "校验位正确",
      "In Chinese text": "中文文本中",
      "Maestro and Elo": "Maestro 和 Elo",
      "Stars": "星号",
      "Removal": "删除"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "decontamination-filter": {
    "name": "去除测试集内容",
    "description": "剔除与所选数据集（如将用来评测模型的测试集）有共同文字的样本：`ngram` 个词的词串中，超过 `max` 的也出现在那里（13 个词、出现任何一个即剔除，如 GPT-3：Brown 等，2020，附录 C；PaLM，Chowdhery 等，2022，用 8 个词）。分数就是这个占比，因此可在完成的运行上试用其他 `max`；取 1 则全部保留，只记分数。找到的文字连同它在其他数据集中的位置记入台账。大小写、标点和空白不算作不同；每个汉字算一个词。其他数据集中比 `ngram` 短的文本，达到 `shortest` 个词的作为整体查找；更短的只在样本与之相同时算。找不到改写；近似重复请用带 `references` 的 `minhash-deduplicator`。",
    "params": {
      "references": {
        "title": "测试集",
        "help": "样本中不得出现其文本的数据集；按原样比较，不经过前面的步骤"
      },
      "ngram": {
        "title": "词串的词数",
        "help": "一个词串的词数；越少找到的越多，也越多是各种文本共有的"
      },
      "shortest": {
        "title": "文本的最少词数",
        "help": "其他数据集中比词串短的文本，达到这么多词才在样本中查找"
      },
      "max": {
        "title": "词串的最大占比",
        "help": "保留的其他数据集也有的词串的最大占比，0 到 1；取 1 则保留全部样本"
      }
    },
    "examples": {
      "A question of a test set": "测试集中的一个问题",
      "Without datasets all are kept": "不选数据集则全部保留"
    }
  },
  "digit-ratio-filter": {
    "name": "按数字占比过滤",
    "description": "剔除超过 `max` 的字符是数字（任何文字的）的样本：数字表格、日志、号码列表。",
    "measures": {
      "digits": "数字所占的比例"
    },
    "params": {
      "max": {
        "title": "数字的最大占比",
        "help": "保留的数字的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Figures": "数字",
      "Chinese": "中文"
    }
  },
  "duplicate-line-ratio-filter": {
    "name": "按重复行占比过滤",
    "description": "剔除超过 `max` 的行（或其中的字符）在同一文本里先前出现过的样本：菜单、模板的残余（如 Gopher 规则，Rae 等，2021：行取 0.3，字符取 0.2）。空行不计。",
    "measures": {
      "repeatedLines": "先前出现过的行所占的比例"
    },
    "params": {
      "of": {
        "title": "占比的对象",
        "help": "每行同等计数，还是按其长度"
      },
      "max": {
        "title": "重复行的最大占比",
        "help": "保留的重复行的最大占比，0 到 1"
      }
    },
    "examples": {
      "No line occurs twice": "没有重复的行",
      "The same lines again": "相同的行再次出现",
      "By their length": "按长度计"
    }
  },
  "duplicate-ngram-filter": {
    "name": "按重复词串的字符占比过滤",
    "description": "剔除先前出现过的 `ngram` 词词串占字符超过 `max` 的样本；每个词串只计一次（如 Gopher 规则，Rae 等，2021：5 词取 0.15，6 词 0.14，7 词 0.13，8 词 0.12，9 词 0.11，10 词 0.1）。标点也算词，每个汉字算一个词。",
    "measures": {
      "duplicateRuns": "重复的十词词串所占的字符比例"
    },
    "params": {
      "ngram": {
        "title": "词串的词数",
        "help": "一个词串的词数"
      },
      "max": {
        "title": "字符的最大占比",
        "help": "保留的重复词串所占字符的最大比例，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "A sentence again": "重复的句子",
      "Chinese": "中文"
    }
  },
  "duplicate-paragraph-ratio-filter": {
    "name": "按重复段落占比过滤",
    "description": "剔除超过 `max` 的段落（或其中的字符）在同一文本里先前出现过的样本（如 Gopher 规则，Rae 等，2021：段落取 0.3，字符取 0.2）。段落以空行结束。",
    "measures": {
      "repeatedParagraphs": "先前出现过的段落所占的比例"
    },
    "params": {
      "of": {
        "title": "占比的对象",
        "help": "每段同等计数，还是按其长度"
      },
      "max": {
        "title": "重复段落的最大占比",
        "help": "保留的重复段落的最大占比，0 到 1"
      }
    },
    "examples": {
      "No paragraph occurs twice": "没有重复的段落",
      "The same paragraphs again": "相同的段落再次出现",
      "By their length": "按长度计"
    }
  },
  "ellipsis-line-ratio-filter": {
    "name": "按省略号行占比过滤",
    "description": "剔除超过 `max` 的行以省略号结尾的样本：摘要预告、搜索结果列表（如 Gopher 规则，Rae 等，2021）。空行不计。",
    "measures": {
      "ellipsisLines": "以省略号结尾的行所占的比例"
    },
    "params": {
      "max": {
        "title": "省略号行的最大占比",
        "help": "保留的以省略号结尾的行的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Teasers": "摘要预告"
    }
  },
  "email-masker": {
    "name": "遮盖电子邮件地址",
    "description": "用标记代替电子邮件地址（RFC 5322，也包括国际化域名）。文件名（icon@2x.png）、软件包（left-pad@1.3.0）和仓库地址（git@host:team/project）保留。",
    "examples": {
      "A tag": "标签",
      "In Chinese text": "中文文本中",
      "Beside marks, in other scripts": "在标记旁、其他文字中",
      "Stars": "星号",
      "A keyed hash": "带密钥的散列",
      "Removal": "删除",
      "What only looks like one stays": "只是相似的保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "emoji-remover": {
    "name": "去除表情符号",
    "description": "去掉表情符号（UTS #51），包括肤色、组合的家庭、旗帜和键帽，或用一段文字代替。默认为文本的符号保留：©、™、✓、→、№。表情两侧的空格保留一个。",
    "params": {
      "replacement": {
        "title": "替换文字",
        "help": "代替表情符号的文字"
      }
    },
    "examples": {
      "Emoji go": "去掉表情",
      "One blank stays": "保留一个空格",
      "In Chinese text": "中文文本中",
      "Families, flags and keycaps go whole": "家庭、旗帜和键帽整个去掉",
      "Signs of text stay": "文本符号保留",
      "A text in their place": "用文字代替"
    }
  },
  "exact-deduplicator": {
    "name": "去除完全重复",
    "description": "在全部输入中，相同文本的样本只保留第一个，其余剔除。比较的是文本 SHA-256 的 128 位；设置 `references` 后，其他数据集中已有的文本也剔除；可按需忽略大小写或空白。",
    "params": {
      "caseSensitive": {
        "title": "区分大小写",
        "help": "大小写是否算作不同"
      },
      "ignoreWhitespace": {
        "title": "忽略空白",
        "help": "只有空白不同的文本是否算作相同"
      },
      "references": {
        "title": "对比其他数据集",
        "help": "其他数据集：与其中样本文本相同的样本也剔除。这些数据集按原样比较，不经过前面的步骤"
      }
    },
    "examples": {
      "The first one stays": "保留第一个",
      "Case and white space make a difference by default": "默认区分大小写和空白",
      "Neither does on request": "按需都不区分"
    }
  },
  "file-deduplicator": {
    "name": "去除重复文件",
    "description": "在全部输入中，字节相同的图片、音频或视频文件只保留第一个，其余剔除。比较的是文件 SHA-256 的 128 位。",
    "params": {},
    "examples": {
      "The first one stays": "保留第一个"
    }
  },
  "file-size-filter": {
    "name": "按文件大小过滤",
    "description": "剔除字节数少于 `min` 或多于 `max` 的图片、音频和视频文件。",
    "params": {
      "min": {
        "title": "最小文件",
        "help": "保留文件的最少字节数"
      },
      "max": {
        "title": "最大文件",
        "help": "保留文件的最多字节数"
      }
    },
    "examples": {
      "Within the bounds": "在范围内",
      "Empty": "空文件"
    }
  },
  "first-sample-filter": {
    "name": "保留前几个样本",
    "description": "按输入顺序，保留到达此步骤的前 `count` 个样本，剔除其余的。",
    "params": {
      "count": {
        "title": "样本数",
        "help": "保留这么多个样本"
      }
    },
    "examples": {
      "Two of three": "三留二",
      "Fewer than that": "不足此数"
    }
  },
  "flagged-word-filter": {
    "name": "按不良词过滤",
    "description": "剔除每词的不良词多于 `max` 个的样本：C4 所用的不良词表（LDNOOBW，CC BY 4.0）的英文和中文部分，以及自己的词表。仅凭词语无法判断其用法：医学和法律文本也含有其中一些。",
    "params": {
      "words": {
        "title": "自己的词",
        "help": "另外的词或短语，不分大小写；拉丁字母的按整词查找"
      },
      "builtIn": {
        "title": "使用内置词表",
        "help": "是否同时使用英文和中文词表"
      },
      "max": {
        "title": "每词的最多不良词数",
        "help": "保留的每词不良词数的最大值；C4 取 0"
      }
    },
    "examples": {
      "None of them": "没有",
      "Own words": "自己的词"
    }
  },
  "forbidden-keyword-filter": {
    "name": "按禁用关键词过滤",
    "description": "剔除列表中的词或短语出现超过 `max` 次的样本。所有关键词一次查找（Aho 与 Corasick，1975），数量再多也不变慢。",
    "params": {
      "keywords": {
        "title": "关键词",
        "help": "要查找的词、短语或符号"
      },
      "wholeWords": {
        "title": "只匹配整词",
        "help": "“report”中不算出现“port”；中文词在任何位置都会找到"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "字母是否不分大小写"
      },
      "max": {
        "title": "最多出现次数",
        "help": "保留的最大出现次数"
      }
    },
    "examples": {
      "A keyword occurs": "出现关键词",
      "Part of another word": "是其他词的一部分",
      "Chinese": "中文",
      "As often as is allowed": "不超过允许的次数"
    }
  },
  "html-tag-remover": {
    "name": "去除 HTML 标签",
    "description": "去掉文本中的 HTML 标签、注释、脚本和样式，在块的开头和结尾处换行，并把字符引用变为字符。只识别 HTML 元素：`#include <x.h>`、`<name@example.org>`、`<https://example.org>` 以及没有结束标签的占位符（如 `<title>`）都保留；开始标签保留时，其结束标签也保留。",
    "measures": {
      "tags": "HTML 标签、注释和声明的个数"
    },
    "params": {
      "lineBreaks": {
        "title": "块处换行",
        "help": "块级标签（p、div、li、br 等）处换行；否则不留下任何东西"
      },
      "decodeEntities": {
        "title": "还原字符引用",
        "help": "把字符引用（&amp;、&#8212;）变为字符"
      }
    },
    "examples": {
      "Tags go": "去掉标签",
      "Blocks become lines": "块变为行",
      "Unless they should not": "也可不换行",
      "Scripts, styles and comments go with what is in them": "脚本、样式和注释连同内容一并去掉",
      "Whatever attributes they have": "无论带有什么属性",
      "References become characters": "字符引用变为字符",
      "Powers stay powers": "乘方仍是乘方",
      "A sign that begins no tag stays": "不构成标签的符号保留",
      "A tag that does not end stays": "没有结束的标签保留",
      "What is no element of HTML stays": "不是 HTML 元素的保留",
      "Comparisons stay": "比较式保留",
      "End tags count however they are written": "结束标签无论怎样书写都算数",
      "Options of manuals, templates of C++ and groups of regular expressions stay": "手册的选项、C++ 的模板和正则表达式的分组保留",
      "A comment or script that is only mentioned takes nothing with it": "只是提到的注释或脚本不会带走其他内容",
      "A placeholder that is nowhere closed stays": "没有结束标签的占位符保留",
      "What is mentioned with its end tag stays with it": "只是提到的标签与其结束标签一同保留",
      "Signs in quotes are part of the tag": "引号中的符号属于标签"
    }
  },
  "html-to-text": {
    "name": "HTML 转文本",
    "description": "读取 HTML 页面并写出其文本：脚本、样式、注释和隐藏元素连同内容去掉，字符引用变为字符，段落之间空一行，列表项前加连字符或编号；代码保留换行，表格写成 Markdown 或去掉。没有标签的文本只有字符引用会变。元素之间如何分开依照 HTML 标准的渲染文本（3.2.7，innerText）。",
    "params": {
      "tables": {
        "title": "表格",
        "help": "MARKDOWN：数据表格写成 Markdown。DROP：去掉数据表格。仅用于排版的表格按文本读取"
      }
    },
    "examples": {
      "Paragraphs and lists": "段落和列表",
      "Scripts, styles and comments go": "去掉脚本、样式和注释",
      "Tables become Markdown": "表格写成 Markdown",
      "Or go": "或去掉表格",
      "Code keeps its lines": "代码保留换行",
      "Powers stay powers": "乘方仍是乘方",
      "Words stay joined over tags within them": "词内的标签不拆开词",
      "Text without tags stays": "没有标签的文本保留"
    }
  },
  "iban-masker": {
    "name": "遮盖国际银行账号（IBAN）",
    "description": "用标记代替国际银行账号（ISO 13616）：发行国家存在，长度与该国一致，校验码正确（MOD 97-10）；连写或每四位一组；小写的只在 IBAN 一词之后才算。",
    "examples": {
      "Together and in groups": "连写和分组",
      "In Chinese text": "中文文本中",
      "Joined to its name, in small letters": "与名称连写、小写",
      "Stars": "星号",
      "Wrong check digits or length stay": "校验码或长度不对的保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "image-aspect-ratio-filter": {
    "name": "按宽高比过滤图片",
    "description": "剔除长边超过短边 `max` 倍或不足 `min` 倍的图片：横幅、长条，或所有方图。只读取文件头。",
    "params": {
      "min": {
        "title": "最低比例",
        "help": "保留图片的最低长短边之比"
      },
      "max": {
        "title": "最高比例",
        "help": "保留图片的最高长短边之比"
      }
    },
    "examples": {
      "A photo": "照片",
      "A banner": "横幅",
      "A square": "方图"
    }
  },
  "image-blur-filter": {
    "name": "过滤模糊图片",
    "description": "剔除边缘微弱的图片：亮度的拉普拉斯方差低于 `min`（Pech-Pacheco 等，\"Diatom autofocusing in brightfield microscopy\"，2000）。先把长边缩到最多 1,024 像素再测量，使大图与小图标准一致。纯色图也没有边缘。动图按第一帧判断。",
    "params": {
      "min": {
        "title": "最弱边缘",
        "help": "保留图片的最低拉普拉斯方差"
      }
    },
    "examples": {
      "Sharp": "清晰",
      "Plain": "纯色"
    }
  },
  "image-brightness-adjuster": {
    "name": "调整图片亮度",
    "description": "按倍数使图片变亮或变暗；16 位图片变为 8 位。APNG 动图会失败：只能读取第一帧。",
    "params": {
      "factor": {
        "title": "倍数",
        "help": "大于 1 变亮，小于 1 变暗"
      }
    },
    "examples": {
      "Brighter": "变亮",
      "Darker": "变暗"
    }
  },
  "image-brightness-filter": {
    "name": "按亮度过滤图片",
    "description": "剔除平均亮度低于 `min` 或高于 `max` 的图片，0 为黑，255 为白。动图按第一帧判断。",
    "params": {
      "min": {
        "title": "最暗",
        "help": "保留图片的最低平均亮度"
      },
      "max": {
        "title": "最亮",
        "help": "保留图片的最高平均亮度"
      }
    },
    "examples": {
      "Neither": "适中",
      "Nearly black": "几乎全黑",
      "Nearly white": "几乎全白"
    }
  },
  "image-contrast-adjuster": {
    "name": "调整图片对比度",
    "description": "按倍数使像素远离或接近中灰；16 位图片变为 8 位。APNG 动图会失败：只能读取第一帧。",
    "params": {
      "factor": {
        "title": "倍数",
        "help": "大于 1 对比更强，小于 1 更弱"
      }
    },
    "examples": {
      "More contrast": "更强",
      "Less contrast": "更弱"
    }
  },
  "image-converter": {
    "name": "转换图片格式",
    "description": "把图片写成另一种格式，文件名随之改变（`a.png` 变为 `a.webp`）；名称与内容格式不符的文件也会得到正确的名称。JPEG 没有透明度，透明部分变为 `background` 的颜色（默认白色），半透明部分与之混合；只有 PNG 和 TIFF 保留 16 位；CMYK 转为 sRGB。动图可转为 WebP 和 GIF，转为其他格式会失败。APNG 动图会失败：只能读取第一帧。",
    "params": {
      "format": {
        "title": "格式",
        "help": "转换后的格式"
      },
      "quality": {
        "title": "质量",
        "help": "JPEG、WebP 和 AVIF 的质量"
      },
      "background": {
        "title": "背景色",
        "help": "JPEG 中透明像素背后的颜色，写作 #rrggbb；其他格式保持透明"
      }
    },
    "examples": {
      "The name follows": "名称随之改变",
      "The same format stays": "相同格式不变",
      "Frames stay": "动图的帧保留",
      "CMYK becomes sRGB": "CMYK 转为 sRGB"
    }
  },
  "image-cropper": {
    "name": "裁剪图片",
    "description": "从图片中裁出指定宽高的部分，位于中央或某个角。某边更短的图片保留该边。动图会失败：不裁剪多帧图片。",
    "params": {
      "width": {
        "title": "宽",
        "help": "保留部分的宽，像素"
      },
      "height": {
        "title": "高",
        "help": "保留部分的高，像素"
      },
      "from": {
        "title": "位置",
        "help": "保留部分的位置"
      }
    },
    "examples": {
      "The middle": "中央",
      "Smaller sides stay": "更短的边保留"
    }
  },
  "image-denoiser": {
    "name": "图片去噪",
    "description": "把每个像素替换为周围像素的中位数：去掉噪点，保留边缘。动图会失败，因为各帧会相互影响。",
    "params": {
      "size": {
        "title": "大小",
        "help": "像素周围方块的边长，像素"
      }
    },
    "examples": {
      "Specks": "噪点"
    }
  },
  "image-grayscaler": {
    "name": "图片变灰度",
    "description": "去掉图片的颜色，保留明暗。APNG 动图会失败：只能读取第一帧。",
    "params": {},
    "examples": {
      "Colours go": "去掉颜色",
      "Grey already": "已经是灰度"
    }
  },
  "image-metadata-remover": {
    "name": "去除图片元数据",
    "description": "去除相机和程序写在像素之外的信息：含 GPS 位置、序列号和预览图的 EXIF，以及 XMP、IPTC、注释、作者等文字、各程序的私有数据，还有文件中图片之后的内容（如某些相机附带的视频或其他图片）。颜色配置保留。JPEG、PNG、WebP 和 GIF 的像素逐字节不变；含此类信息的 TIFF 和 AVIF 会重新编码；带 EXIF 方向的图片先转正再重新编码，外观不变。需要转正的 APNG 动图会失败。",
    "params": {},
    "examples": {
      "The GPS position goes": "去掉 GPS 位置",
      "Without metadata": "没有元数据",
      "Turned before its orientation goes": "先转正再去掉方向"
    }
  },
  "image-near-deduplicator": {
    "name": "图片近似去重",
    "description": "在全部输入中，看起来相同的图片只保留第一张，其余剔除：缩放、重新编码、转换格式、略微变亮或有小改动的图片。比较的是 64 位感知哈希，即亮度最低频率的符号（Zauner，\"Implementation and Benchmarking of Perceptual Image Hash Functions\"，2010）。裁剪和旋转过的图片视为不同。单色或只沿一个方向变化的图片没有这些频率，只有像素相同才算重复。动图按第一帧比较。",
    "params": {
      "distance": {
        "title": "最多不同位数",
        "help": "哈希最多相差这么多位的图片视为近似重复"
      }
    },
    "examples": {
      "Resized and converted": "缩放并转换格式"
    }
  },
  "image-orienter": {
    "name": "转正图片",
    "description": "按 EXIF 方向旋转和翻转图片的像素，并去掉方向标记，使所有程序的显示一致。APNG 动图会失败：只能读取第一帧。",
    "params": {},
    "examples": {
      "Turned by its EXIF data": "按 EXIF 方向转正",
      "Upright already": "已经是正的"
    }
  },
  "image-resizer": {
    "name": "调整图片大小",
    "description": "把图片缩小（或放大）到指定的宽和高：完整放入、填满并裁去多余部分、或拉伸。默认不放大，足够小的图片保持不变。带 EXIF 方向的图片先转正；动图的每一帧都会调整。APNG 动图会失败：只能读取第一帧。",
    "params": {
      "width": {
        "title": "宽",
        "help": "外框的宽，像素"
      },
      "height": {
        "title": "高",
        "help": "外框的高，像素"
      },
      "fit": {
        "title": "方式",
        "help": "`INSIDE` 保留整张图片，`COVER` 填满外框并裁去多余部分，`STRETCH` 不保持宽高比"
      },
      "enlarge": {
        "title": "放大小图",
        "help": "是否放大比外框小的图片"
      }
    },
    "examples": {
      "Inside the box": "完整放入",
      "Small images stay": "小图不变",
      "Covering the box": "填满外框",
      "Frames stay": "动图的帧保留",
      "16 bits stay": "16 位保留"
    }
  },
  "image-resolution-filter": {
    "name": "按分辨率过滤图片",
    "description": "剔除短边像素少于 `min` 或多于 `max` 的图片。只读取文件头。",
    "params": {
      "min": {
        "title": "最少像素",
        "help": "保留图片短边的最少像素"
      },
      "max": {
        "title": "最多像素",
        "help": "保留图片短边的最多像素"
      }
    },
    "examples": {
      "Large enough": "足够大",
      "Too small": "过小",
      "Too large": "过大"
    }
  },
  "image-saturation-adjuster": {
    "name": "调整图片饱和度",
    "description": "按倍数使颜色更浓或更淡；灰度图片不变，16 位图片变为 8 位。APNG 动图会失败：只能读取第一帧。",
    "params": {
      "factor": {
        "title": "倍数",
        "help": "大于 1 更浓，小于 1 更淡"
      }
    },
    "examples": {
      "Paler": "更淡",
      "Grey stays": "灰度不变"
    }
  },
  "image-sharpener": {
    "name": "锐化图片",
    "description": "增强边缘（USM 锐化）。动图会失败，因为各帧会相互影响。",
    "params": {
      "radius": {
        "title": "半径",
        "help": "边缘的宽度，像素"
      }
    },
    "examples": {
      "Edges": "边缘"
    }
  },
  "ip-masker": {
    "name": "遮盖 IP 地址",
    "description": "用标记代替第 4 版和第 6 版的 IP 地址（RFC 4291）。四个都小于 100 的数（1.2.3.4）可能是版本号：只在网络用语或符号旁才算。",
    "examples": {
      "Version 4 and 6": "第 4 版和第 6 版",
      "Stars": "星号",
      "Removal": "删除",
      "In Chinese text": "中文文本中",
      "Versions and sections stay": "版本号和章节号保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "json-path-extractor": {
    "name": "从嵌套列取值",
    "description": "把列中某路径处的值写入另一列；内容为 JSON 的文本按 JSON 读取。路径与文本列相同：名称用点分隔，[0] 表示一项，[*] 表示每一项的值组成的列表，缺少该值的项为 null；第二个 [*] 得到列表中的列表。",
    "params": {
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      },
      "path": {
        "title": "路径",
        "help": "以列名开头，如 meta.author.name、tags[0]、messages[*].role 或 a[\"b.c\"]"
      },
      "column": {
        "title": "写入",
        "help": "得到该值的列"
      }
    },
    "examples": {
      "A nested value": "嵌套的值",
      "An item": "一项",
      "All items": "所有项",
      "An item without the value": "缺少该值的项",
      "A text that is JSON": "内容为 JSON 的文本",
      "Nothing is there": "没有值"
    }
  },
  "language-filter": {
    "name": "按语言过滤",
    "description": "保留 60 种语言中指定的几种，剔除其余的样本。根据去掉网址后的前 1,000 个字符判断语言（n-gram，eld）；含多种语言的文本按最多的一种计。印尼语不在其中，会被识别为马来语（`ms`）。",
    "params": {
      "languages": {
        "title": "语言",
        "help": "要保留的语言，用 ISO 639-1 代码表示，以逗号分隔"
      },
      "minConfidence": {
        "title": "最低置信度",
        "help": "保留的所要语言的最低置信度；连贯的文本为 0.6 以上。其他语言计为 0，无法判断的计为 1 或 0"
      },
      "keepUndetermined": {
        "title": "保留无法判断的",
        "help": "也保留无法判断语言的样本：词太少、数字、代码"
      }
    },
    "examples": {
      "A wanted language": "所要的语言",
      "Another language": "其他语言",
      "Not sure enough": "不够确定",
      "Too little to tell": "太少，无法判断",
      "Too little to tell, and not wanted": "太少，无法判断，也不要"
    }
  },
  "latex-to-text": {
    "name": "LaTeX 转文本",
    "description": "写出 LaTeX 文档正文的文本：注释、标签、引用、文献引用和定义去掉，其他命令留下花括号中的内容，重音和符号变为字符，标题单独成段，列表项前加连字符和其术语；排版参数（宽度、颜色、列）和不成立的条件去掉，siunitx 的单位变为符号。公式原样保留或去掉。不展开宏。没有命令的文本保持不变。命令依照 Lamport 的 \"LaTeX: A Document Preparation System\" 第二版。",
    "params": {
      "math": {
        "title": "公式",
        "help": "KEEP：公式原样保留。DROP：去掉公式"
      },
      "tables": {
        "title": "表格",
        "help": "KEEP：每行一行，单元格间用 |。DROP：去掉表格"
      }
    },
    "examples": {
      "Commands go, their text stays": "命令去掉，文字保留",
      "Accents, quotes and dashes": "重音、引号和破折号",
      "Formulas stay": "保留公式",
      "Or go": "或去掉公式",
      "Lists and tables": "列表和表格",
      "Code stays as it is": "代码保持原样",
      "Code within a line": "行内代码",
      "Arguments of layout go": "排版参数去掉",
      "Terms, units, conditions and definitions": "术语、单位、条件和定义",
      "Text without a command stays": "没有命令的文本保留"
    }
  },
  "license-header-remover": {
    "name": "去除代码的许可证头",
    "description": "去掉源代码顶部写明版权和许可证的注释，支持常用语言的注释语法（/* */、//、#、--、;、%、<!-- -->、\"\"\"）。这类注释中说明其他内容的段落、解释器行和其他注释保留，本身就是许可证的文本也保留。",
    "params": {},
    "examples": {
      "A block": "注释块",
      "Lines, behind the interpreter": "解释器行之后的行注释",
      "Chinese": "中文",
      "What the code is for stays": "代码用途的说明保留",
      "A banner": "单行横幅",
      "A heading of Markdown stays": "Markdown 标题保留",
      "Other comments stay": "其他注释保留",
      "Text stays": "普通文本保留"
    }
  },
  "line-break-ratio-filter": {
    "name": "按每词的换行数过滤",
    "description": "剔除每词的换行多于 `max` 个的样本：列表、每行一格的表格（如 FineWeb 规则，Penedo 等，2024，取 0.3）。数、标点和汉字都算词。",
    "measures": {
      "lineBreaksPerWord": "每词的换行数"
    },
    "params": {
      "max": {
        "title": "每词的最多换行数",
        "help": "保留的每词换行数的最大值"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "A word on each line": "每行一个词"
    }
  },
  "line-punctuation-filter": {
    "name": "按以句末标点结尾的行占比过滤",
    "description": "剔除以句末标点（. ! ? 。 ！ ？ 等，其后可有引号）结尾的行少于 `min` 的样本：菜单、表格、列表（如 FineWeb 规则，Penedo 等，2024，取 0.12）。空行不计。",
    "measures": {
      "endedLines": "以句末标点结尾的行所占的比例"
    },
    "params": {
      "min": {
        "title": "以句末标点结尾的行的最小占比",
        "help": "保留的以句末标点结尾的行的最小占比，0 到 1"
      }
    },
    "examples": {
      "Sentences": "句子",
      "A menu": "菜单"
    }
  },
  "list-splitter": {
    "name": "列表的每一项成为一行",
    "description": "列中列表的每一项成为一个样本，其他列不变（explode）。文本按 JSON 列表读取，或按分隔符切开；两个分隔符之间为空则不算一项。空列表的样本剔除或得到 null。",
    "params": {
      "column": {
        "title": "列",
        "help": "存放列表的列"
      },
      "separator": {
        "title": "文本的分隔符",
        "help": "在此切开不是 JSON 列表的文本"
      },
      "empty": {
        "title": "空列表",
        "help": "DROP：剔除样本。NULL：保留样本，列中为 null"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      }
    },
    "examples": {
      "A list": "列表",
      "A text with a separator": "带分隔符的文本",
      "An empty list": "空列表"
    }
  },
  "mac-address-masker": {
    "name": "遮盖硬件地址",
    "description": "用标记代替硬件地址（MAC，EUI-48）：以冒号或连字符分开的六组两位十六进制数，或以点分开的三组四位十六进制数。指纹和更长的序列保留。",
    "examples": {
      "Colons, hyphens, points": "冒号、连字符、点",
      "In Chinese text": "中文文本中",
      "Stars": "星号",
      "Longer rows stay": "更长的序列保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "main-content-extractor": {
    "name": "提取网页正文",
    "description": "读取 HTML 页面并写出正文：菜单、页头页脚、侧栏、表单、Cookie 提示和链接列表去掉。根据元素的名称、角色、class 和 id，以及其中链接文字的比例判断用途（链接密度：Kohlschütter、Fankhauser、Nejdl，\"Boilerplate Detection using Shallow Text Features\"，2010）。没有标签的文本保持不变。",
    "params": {
      "tables": {
        "title": "表格",
        "help": "MARKDOWN：数据表格写成 Markdown。DROP：去掉数据表格"
      }
    },
    "examples": {
      "Menus and feet go": "去掉菜单和页脚",
      "By class, in Chinese": "按 class 判断，中文",
      "Lists of links go": "去掉链接列表",
      "A page of links alone is its links": "只有链接的页面保留链接",
      "Text without tags stays": "没有标签的文本保留"
    }
  },
  "markdown-to-text": {
    "name": "Markdown 转文本",
    "description": "读取 Markdown（CommonMark 0.31，含表格和删除线）并写出其文本：标题、强调、链接和引用的标记去掉，图片留下说明，列表保留连字符和编号，行仍是行。公式、脚注和尖括号中的占位符保持原样。HTML 元素按 HTML 读取；页面的 front matter 去掉。",
    "params": {
      "tables": {
        "title": "表格",
        "help": "MARKDOWN：表格保持 Markdown。DROP：去掉表格"
      },
      "code": {
        "title": "代码块",
        "help": "KEEP：保留代码，去掉围栏。DROP：去掉代码"
      }
    },
    "examples": {
      "Marks go": "去掉标记",
      "What only looks like marks stays": "只是像标记的保留",
      "Code without its fences": "代码去掉围栏",
      "Footnotes, formulas and placeholders stay": "脚注、公式和占位符保留",
      "Or without code": "或去掉代码",
      "Front matter goes": "去掉 front matter",
      "Prose between two rules stays": "两条分隔线之间的正文保留"
    }
  },
  "mean-word-length-filter": {
    "name": "按平均词长过滤",
    "description": "剔除平均词长少于 `min` 个或多于 `max` 个字符的样本：字母之间夹空格的文字、编码数据、标识符列表（如 Gopher 规则，Rae 等，2021）。每个汉字算一个词。",
    "measures": {
      "meanWordLength": "平均词长（字符数）"
    },
    "params": {
      "min": {
        "title": "最短平均词长",
        "help": "保留的最小平均词长；中文取 1 或更小"
      },
      "max": {
        "title": "最长平均词长",
        "help": "保留的最大平均词长"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Letters apart": "字母分开",
      "Encoded data": "编码数据",
      "Chinese": "中文"
    }
  },
  "minhash-deduplicator": {
    "name": "去除近似重复",
    "description": "在全部输入中，内容大致相同的样本只保留第一个，与先前保留的样本相似的都剔除。相似度是共同词串的占比（Jaccard），由 MinHash 估计；候选由局部敏感哈希找出，再以全部排列比较：相似度为 s 的两个样本成为候选的概率是 1 - (1 - sʳ)ᵇ，b 为段数，r 为每段的哈希函数个数（Leskovec、Rajaraman、Ullman，《Mining of Massive Datasets》3.4.2）。设置 `references` 后，与其他数据集中样本相似的也剔除。大小写、标点和空白不算作不同，但词数少于一个词串的文本作为整体比较，标点也算；中文、日文、泰文等不用空格的文字中，每个字算一个词。",
    "params": {
      "threshold": {
        "title": "相似度",
        "help": "估计的相似度（0 到 1）达到多少算作重复"
      },
      "ngram": {
        "title": "词串的词数",
        "help": "一个词串的词数；越少，找出的相似越宽松"
      },
      "permutations": {
        "title": "哈希函数个数",
        "help": "哈希函数的个数，须为 16 的倍数：越多估计越准（误差约 1 / √个数 / 2），用时也相应更长"
      },
      "bands": {
        "title": "分段数",
        "help": "把哈希函数等分成多少段（每段 permutations / bands 个，向下取整）；有一整段相同的样本才会比较。0：取能找出阈值处 98% 样本对的最少段数。段越多，找出的和需比较的越多：概率曲线在相似度约 (1 / bands)^(bands / permutations) 处最陡。FineWeb 用 14 段、每段 8 个（`permutations` 为 112，Penedo 等，2024，3.4 节）"
      },
      "references": {
        "title": "对比其他数据集",
        "help": "其他数据集：与其中样本相似的样本也剔除。这些数据集按原样比较，不经过前面的步骤"
      }
    },
    "examples": {
      "Case, punctuation and white space make no difference": "大小写、标点和空白不算作不同",
      "Signs count where there are few words": "词很少时符号也算",
      "Little in common": "共同之处很少",
      "Each Chinese character is a word": "每个汉字算一个词"
    }
  },
  "mix-selector": {
    "name": "按权重混合来源",
    "description": "在全部输入中，按权重保留各前缀（文件夹，或任务的另一个来源）之下的内容，剔除其余的：按百分比，以全部能填满为限；或至多一定数量；以样本或词元（o200k_base）计。抽到哪些只取决于 `seed` 和样本在输入中的位置。`*` 表示不在任何前缀之下的文件；没有给出其权重时剔除。不填权重时全部保留。",
    "params": {
      "weights": {
        "title": "权重",
        "help": "前缀及其权重，如 web=70, books=30, *=5"
      },
      "amount": {
        "title": "权重表示",
        "help": "PERCENT：结果中的占比。COUNT：样本或词元的数量"
      },
      "unit": {
        "title": "计数单位",
        "help": "SAMPLES：样本，或 TOKENS：文本的词元"
      },
      "seed": {
        "title": "种子",
        "help": "换一个数就抽到别的样本"
      },
      "column": {
        "title": "来源列",
        "help": "在保留的每行中写入其前缀的列；不填则不写。日志说明有多少样本在该列原有其他值"
      }
    },
    "examples": {
      "Two samples of all": "全部中留两个",
      "Tokens": "词元",
      "Rows tell where they come from": "行中注明来源",
      "Without weights, all stay": "不填权重则全部保留"
    }
  },
  "model-classifier": {
    "name": "由模型按标签分类",
    "description": "由模型为每段文本选择您的一个标签，并写入行的一列；设置 `keep` 时剔除其他标签的样本。只会写入您给出的标签。文本作为数据交给模型，其中的指令不会被执行。每次提问都是一次可能收费的调用：请设置预算。没有可用回答的样本失败，超出预算的样本也失败。文档没有列：对文档请只保留部分标签，并把 `column` 留空。",
    "params": {
      "model": {
        "title": "模型",
        "help": "针对每个样本询问的模型，由管理员配置"
      },
      "maxCalls": {
        "title": "预算：调用次数",
        "help": "一次运行中此步骤最多的调用次数，包括重试；0 表示不限。超出的样本失败"
      },
      "maxTokens": {
        "title": "预算：token",
        "help": "一次运行中此步骤的提问与回复最多的 token 数；0 表示不限"
      },
      "maxCost": {
        "title": "预算：费用",
        "help": "一次运行中此步骤最多的费用，按模型的价格计；0 表示不限"
      },
      "labels": {
        "title": "标签",
        "help": "每行一个：标签、冒号、属于它的内容"
      },
      "task": {
        "title": "关注什么",
        "help": "标签之外的说明，任何语言均可；为空则无"
      },
      "column": {
        "title": "列",
        "help": "写入标签的列；为空则不写"
      },
      "keep": {
        "title": "只保留",
        "help": "保留的样本的标签；为空则全部保留"
      },
      "characters": {
        "title": "读取的字符数",
        "help": "模型只按文本开头的这些字符判断：提问越长费用越高"
      }
    },
    "examples": {
      "A label that is kept": "保留的标签",
      "Another label": "其他标签"
    }
  },
  "model-quality-filter": {
    "name": "按模型评定的质量过滤",
    "description": "由模型按您写的标准给每段文本评分，剔除低于 `min` 的样本。分数会记录下来，因此运行结束后可以试用其他 `min` 而无需再次询问。文本作为数据交给模型，其中的指令不会被执行。每次提问都是一次可能收费的调用：请设置预算。没有可用分数的样本失败，超出预算的样本也失败；不会凭猜测评分。空文本为 0 分。",
    "params": {
      "model": {
        "title": "模型",
        "help": "针对每个样本询问的模型，由管理员配置"
      },
      "maxCalls": {
        "title": "预算：调用次数",
        "help": "一次运行中此步骤最多的调用次数，包括重试；0 表示不限。超出的样本失败"
      },
      "maxTokens": {
        "title": "预算：token",
        "help": "一次运行中此步骤的提问与回复最多的 token 数；0 表示不限"
      },
      "maxCost": {
        "title": "预算：费用",
        "help": "一次运行中此步骤最多的费用，按模型的价格计；0 表示不限"
      },
      "criteria": {
        "title": "标准",
        "help": "什么样的文本好或不好，任何语言均可"
      },
      "scale": {
        "title": "最高分",
        "help": "分数为 0 到此值的整数"
      },
      "min": {
        "title": "最低分",
        "help": "保留的最低分数"
      },
      "characters": {
        "title": "读取的字符数",
        "help": "模型只按文本开头的这些字符判断：提问越长费用越高"
      }
    },
    "examples": {
      "Good enough": "足够好",
      "Too bad": "太差"
    }
  },
  "model-rewriter": {
    "name": "由模型按提示词改写",
    "description": "由模型按您的提示词处理每段文本，例如更正、翻译或概括，并用回复替换文本，或写入行的一列。提示词中的 `{{text}}` 代表文本；文本作为数据交给模型，其中的指令不会被执行。每次提问都是一次可能收费的调用：请设置预算。超出预算、回复为空或被截断的样本失败，其文本保持原样。",
    "params": {
      "model": {
        "title": "模型",
        "help": "针对每个样本询问的模型，由管理员配置"
      },
      "maxCalls": {
        "title": "预算：调用次数",
        "help": "一次运行中此步骤最多的调用次数，包括重试；0 表示不限。超出的样本失败"
      },
      "maxTokens": {
        "title": "预算：token",
        "help": "一次运行中此步骤的提问与回复最多的 token 数；0 表示不限"
      },
      "maxCost": {
        "title": "预算：费用",
        "help": "一次运行中此步骤最多的费用，按模型的价格计；0 表示不限"
      },
      "prompt": {
        "title": "提示词",
        "help": "模型要做什么，任何语言均可；`{{text}}` 代表文本"
      },
      "column": {
        "title": "列",
        "help": "写入回复的列；为空则替换文本"
      },
      "replyTokens": {
        "title": "回复的 token 数",
        "help": "一次回复最多的 token 数；更长的回复会被截断，其样本失败"
      },
      "temperature": {
        "title": "温度",
        "help": "模型用词的自由程度：0 表示最可能的用词"
      }
    },
    "examples": {
      "Corrected": "更正后",
      "Translated": "翻译后"
    }
  },
  "mojibake-normalizer": {
    "name": "修复乱码",
    "description": "修复以错误编码读入的文本：â€™ 变为 ’，Ã© 变为 é，ä½ å¥½ 变为 你好。方法与 ftfy 6 相同：相邻字符几乎不可能是本意时，把它们的字节重新按 UTF-8 读取，逐行进行。请在去除控制字符之前运行：它们是乱码的一部分。",
    "params": {},
    "examples": {
      "Punctuation": "标点",
      "Accents": "重音字母",
      "Chinese": "中文",
      "Twice spoilt": "两次损坏",
      "Codes of Windows": "Windows 的编码",
      "What is right stays": "正确的保留"
    }
  },
  "number-filter": {
    "name": "按列中的数字过滤",
    "description": "剔除列中数字与给定值的比较不成立的样本。纯数字的文本（如 CSV）也算数字；null 和其他值以此为由剔除。",
    "params": {
      "column": {
        "title": "列",
        "help": "存放数字的列"
      },
      "comparison": {
        "title": "比较",
        "help": "GE：不小于。GT：大于。LE：不大于。LT：小于。EQ：等于。NE：不等于"
      },
      "value": {
        "title": "值",
        "help": "与之比较的数"
      },
      "missing": {
        "title": "缺少该列时",
        "help": "FAIL：缺少列的样本失败。KEEP：样本保持不变"
      }
    },
    "examples": {
      "At least": "不小于",
      "Too little": "太小",
      "No number": "不是数字"
    }
  },
  "page-header-remover": {
    "name": "去除页眉、页脚和页码",
    "description": "去掉印刷页面正文之外的内容：在三页或更多页（以换页符分隔）的顶部或底部出现、除数字外相同的行（版本号如 2.14 不算页码）；写明页码的行（“Page 3 of 10”“第 3 页”）；以及单独成行、在全文中逐一递增的数字。",
    "params": {
      "pages": {
        "title": "最少页数",
        "help": "页眉或页脚至少出现在这么多页上"
      }
    },
    "examples": {
      "Headers and footers": "页眉和页脚",
      "Lines that name a page": "写明页码的行",
      "Chinese": "中文",
      "Numbers that count up": "递增的数字",
      "Headings of versions stay": "版本标题保留",
      "Other numbers stay": "其他数字保留"
    }
  },
  "passport-masker": {
    "name": "遮盖护照号",
    "description": "用标记代替写在相应名称之后的护照号、驾驶证号和证件号，以及校验位正确的护照机读区（ICAO 9303）。仅凭形式无法判断：其他号码保留。",
    "examples": {
      "Behind its name": "在名称之后",
      "In Chinese text": "中文文本中",
      "A machine-readable zone": "机读区",
      "Stars": "星号",
      "Other numbers stay": "其他号码保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "phone-masker": {
    "name": "遮盖电话号码",
    "description": "用标记代替电话号码，依据 libphonenumber 的号码规划，只认实际使用的号段：带 + 或 00 的国际号码（00 须位于“电话”等词之后，或国家代码单独分开），以及不带 + 的北美和中国号码，还有所填地区的本地号码（须以 0 开头，或位于“电话”等词之后）；分机号属于号码。计数、日期和程序中的数字保留。",
    "examples": {
      "International, North American, Chinese": "国际、北美、中国号码",
      "In Chinese text": "中文文本中",
      "No-break spaces and full-width digits": "不换行空格和全角数字",
      "Extensions and points": "分机和点",
      "Chinese areas, companies and prefixes": "中国的区号、企业号和前缀",
      "Slashes, and 00 for the +": "斜杠，以及用 00 代替 +",
      "Stars": "星号",
      "The same number written twice has the same hash": "同一号码的不同写法散列相同",
      "Local numbers of chosen regions": "所选地区的本地号码",
      "Other numbers stay": "其他数字保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      },
      "regions": {
        "title": "本地号码的地区",
        "help": "国家代码（ISO 3166，如 DE、FR、IN），用逗号分隔；这些地区的号码不带国家代码时也会被遮盖"
      }
    }
  },
  "pii-masker": {
    "name": "遮盖个人信息",
    "description": "用标记代替电子邮件地址、电话号码、支付卡号和 IP 地址：[EMAIL]、[PHONE]、[CARD]、[IP]。按其形式识别：形式不同的以及人名会保留。",
    "measures": {
      "emails": "电子邮件地址的个数",
      "cards": "支付卡号的个数",
      "ips": "IP 地址的个数",
      "phones": "电话号码的个数"
    },
    "params": {
      "email": {
        "title": "电子邮件地址",
        "help": "遮盖电子邮件地址"
      },
      "phone": {
        "title": "电话号码",
        "help": "遮盖实际使用的电话号码：带 + 的国际号码、北美号码、中国号码"
      },
      "card": {
        "title": "支付卡号",
        "help": "遮盖支付卡号：前缀、长度和分组符合已知发卡机构，且校验位（Luhn）正确"
      },
      "ip": {
        "title": "IP 地址",
        "help": "遮盖 IP 地址，第 4 版和第 6 版。四个都小于 100 的数（1.2.3.4）可能是版本号：只在网络用语或符号旁才算（from 1.2.3.4 port 22）"
      }
    },
    "examples": {
      "E-mail addresses": "电子邮件地址",
      "Telephone numbers": "电话号码",
      "Card numbers with a right check digit": "校验位正确的卡号",
      "IP addresses": "IP 地址",
      "Only what is asked for": "只遮盖所要求的",
      "Other numbers stay": "其他数字保留"
    }
  },
  "punctuation-normalizer": {
    "name": "规范化引号和破折号",
    "description": "把弯引号和角引号写成直引号，把各种连字符和破折号写成 -，把 … 写成三个点。中文句子中的（“你好”、——、……）保留，除非要求转换；成对的引号一并保留或转换。",
    "params": {
      "quotes": {
        "title": "引号",
        "help": "把引号和撇号写成 \" 和 '"
      },
      "dashes": {
        "title": "破折号",
        "help": "把连字符、减号和破折号写成 -"
      },
      "ellipses": {
        "title": "省略号",
        "help": "把 … 写成 ..."
      },
      "keepChinese": {
        "title": "保留中文的",
        "help": "中文字符和中文标点旁的保持原样，与之成对的另一个也保持原样"
      }
    },
    "examples": {
      "Quotation marks": "引号",
      "Dashes and ellipses": "破折号和省略号",
      "Chinese sentences stay": "中文句子保留",
      "Both of a pair are treated alike": "成对的引号同样处理",
      "Unless asked for": "除非要求转换",
      "Only what is asked for": "只转换所要求的"
    }
  },
  "punctuation-ratio-filter": {
    "name": "按标点占比过滤",
    "description": "剔除超过 `max` 的字符是标点（Unicode 的 P 类）的样本：目录、代码、用标点画的线。",
    "measures": {
      "punctuation": "标点所占的比例"
    },
    "params": {
      "max": {
        "title": "标点的最大占比",
        "help": "保留的标点的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Lines drawn with marks": "用标点画的线",
      "Chinese": "中文"
    }
  },
  "random-sample-filter": {
    "name": "随机抽样",
    "description": "随机保留占 `share` 的样本，剔除其余的。保留哪些只取决于 `seed` 和文本：每次运行、任何顺序都一样；较大的占比包含较小的；相同的文本要么全部保留，要么全部剔除。",
    "params": {
      "share": {
        "title": "保留的占比",
        "help": "大约保留这一占比的样本，0 到 1"
      },
      "seed": {
        "title": "种子",
        "help": "换一个数就抽到别的样本"
      }
    },
    "examples": {
      "All of them": "全部保留",
      "Drawn": "抽中",
      "Not drawn": "未抽中"
    }
  },
  "readability-filter": {
    "name": "按易读度过滤（英文）",
    "description": "剔除比 `min` 难读或比 `max` 易读的样本：Flesch（1948）的易读度，由句长和词长得出，很容易的英文为 100，很难的为 0。音节按词中的元音计。没有英文词的文本为 0：请先按语言过滤。",
    "params": {
      "min": {
        "title": "最难",
        "help": "保留的最小易读度：学术文章约 30，普通英文约 60"
      },
      "max": {
        "title": "最易",
        "help": "保留的最大易读度"
      }
    },
    "examples": {
      "Plain English": "普通英文",
      "Hard English": "难读的英文",
      "Chinese has none": "中文没有易读度"
    }
  },
  "reference-list-remover": {
    "name": "去除参考文献",
    "description": "去掉参考文献列表：标题（References、Bibliography、Works cited、参考文献）及其后的条目，直到附录等下一个标题、下一段正文或文末；LaTeX 中还包括 thebibliography 环境。标题后是其他文字的保留。",
    "params": {
      "minEntries": {
        "title": "最少条目数",
        "help": "标题后的条目更少时保留"
      }
    },
    "examples": {
      "Up to the end": "直到文末",
      "Up to the next heading": "直到下一个标题",
      "Up to the next paragraph of prose": "直到下一段正文",
      "Chinese": "中文",
      "Text below the heading stays": "标题下的正文保留",
      "LaTeX": "LaTeX 环境"
    }
  },
  "regex-filter": {
    "name": "按正则表达式过滤",
    "description": "剔除正则表达式匹配少于 `min` 次或多于 `max` 次的样本；100 表示任何更大的次数。采用 RE2 的语法，没有反向引用和环视，因此任何表达式都不会卡住。",
    "params": {
      "pattern": {
        "title": "正则表达式",
        "help": "采用 RE2 语法，如 \\d+、[A-Z]{2,}、\\p{Han}；为空时什么也不匹配"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "字母是否不分大小写"
      },
      "min": {
        "title": "最少匹配次数",
        "help": "保留的最少匹配次数"
      },
      "max": {
        "title": "最多匹配次数",
        "help": "保留的最多匹配次数；100 表示不限"
      }
    },
    "examples": {
      "Leave out what matches": "剔除匹配的",
      "Keep what matches": "保留匹配的",
      "Chinese": "中文",
      "No expression": "没有表达式"
    }
  },
  "regex-replacer": {
    "name": "按正则表达式替换",
    "description": "用一段文字代替正则表达式匹配的内容，采用 RE2 语法：没有环视和反向引用，因此查找一处匹配的时间与文本长度成线性关系。结果超过原文十倍再加一百万字符的样本失败。",
    "params": {
      "pattern": {
        "title": "正则表达式",
        "help": "采用 RE2 语法，如 \\d+、[A-Z]{2,}、\\p{Han}；^ 和 $ 是行首和行尾。为空时不替换"
      },
      "replacement": {
        "title": "替换文字",
        "help": "代替匹配内容的文字；$1 是第一个分组，$0 是全部匹配，$$ 是美元符号"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "字母不论大小写都匹配"
      }
    },
    "examples": {
      "Matches go": "去掉匹配的内容",
      "Groups": "分组",
      "Lines": "行",
      "Chinese": "中文",
      "Ignoring case": "忽略大小写",
      "No expression, no change": "没有表达式则不变"
    }
  },
  "repeated-line-remover": {
    "name": "去除重复行",
    "description": "去掉在文档中出现次数达到下限的行，如页眉、菜单和免责声明，不论大小写、空白和标点；可按需把数字视为相同，使页码不会让它们看起来不同。默认保留第一行。没有文字的行保留。",
    "params": {
      "times": {
        "title": "出现次数",
        "help": "出现这么多次的行会被去掉"
      },
      "minLength": {
        "title": "最短的行",
        "help": "词的字符数更少的行保留：它们多半是代码、对话或诗句"
      },
      "keepFirst": {
        "title": "保留第一行",
        "help": "相同的行保留第一行"
      },
      "ignoreDigits": {
        "title": "忽略数字",
        "help": "只有数字不同的行视为相同：带页码的页眉会去掉，但数据行、日志条目和带编号的标题也会去掉"
      }
    },
    "examples": {
      "The first stays": "保留第一行",
      "Heads with the number of the page": "带页码的页眉",
      "Rows of data stay": "数据行保留",
      "None stays": "全部去掉",
      "Twice is too seldom": "两次不够",
      "Short lines stay": "短行保留"
    }
  },
  "repeated-paragraph-remover": {
    "name": "去除重复段落",
    "description": "用词相同的段落（以空行分隔，不论大小写、空白和标点）保留第一个，去掉其余的。短于下限的保留。",
    "params": {
      "minLength": {
        "title": "最短的重复",
        "help": "词的字符数更少的段落，无论出现多少次都保留"
      }
    },
    "examples": {
      "The first stays": "保留第一个",
      "Signs that are part of a name or a number tell paragraphs apart": "名称或数字中的符号使段落不同",
      "Short ones stay": "短的保留",
      "Chinese": "中文"
    }
  },
  "repeated-sentence-remover": {
    "name": "去除重复句子",
    "description": "用词相同的句子（不论大小写、空白和标点）保留第一个，去掉其余的。句子以句号、问号、感叹号（包括 。！？；）或行尾结束。短于下限的保留。",
    "params": {
      "minLength": {
        "title": "最短的重复",
        "help": "词的字符数更少的句子，无论出现多少次都保留"
      }
    },
    "examples": {
      "The first stays": "保留第一个",
      "Chinese": "中文",
      "Signs that are part of a name or a number tell sentences apart": "名称或数字中的符号使句子不同",
      "Short ones stay": "短的保留",
      "Lines stay lines": "行仍是行"
    }
  },
  "repetition-filter": {
    "name": "按重复过滤",
    "description": "剔除反复说同样内容的样本：由 `ngram` 个词组成的词串中，超过 `max` 的在同一文本里先前出现过（如 Gopher 语料的规则，Rae 等，2021）。",
    "measures": {
      "repetition": "重复词组所占的比例"
    },
    "params": {
      "ngram": {
        "title": "词串的词数",
        "help": "一个词串的词数"
      },
      "max": {
        "title": "重复词串的最大占比",
        "help": "保留的重复词串的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "The same line over and over": "同一行反复出现",
      "The bound belongs to what is kept": "等于上限的保留",
      "Too short to repeat a run": "太短，无从重复"
    }
  },
  "required-keyword-filter": {
    "name": "按必需关键词过滤",
    "description": "保留列表中至少出现 `min` 个不同的词或短语的样本，剔除其余的。所有关键词一次查找（Aho 与 Corasick，1975），数量再多也不变慢。",
    "params": {
      "keywords": {
        "title": "关键词",
        "help": "要查找的词、短语或符号"
      },
      "wholeWords": {
        "title": "只匹配整词",
        "help": "“report”中不算出现“port”；中文词在任何位置都会找到"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "字母是否不分大小写"
      },
      "min": {
        "title": "最少关键词数",
        "help": "保留的最少不同关键词数"
      }
    },
    "examples": {
      "One of several": "其中之一",
      "None of them": "一个也没有",
      "The same one twice": "同一个出现两次"
    }
  },
  "row-key-deduplicator": {
    "name": "按键去重",
    "description": "在全部输入中，指定列的值相同的行只保留第一个，其余剔除；不填列名时比较所有列。按类型比较值（其 JSON 的 SHA-256 的 128 位）；缺少的列视为 null。",
    "params": {
      "columns": {
        "title": "键的列",
        "help": "列名，用逗号分隔；不填表示所有列"
      },
      "caseSensitive": {
        "title": "区分大小写",
        "help": "大小写是否算作不同"
      }
    },
    "examples": {
      "One column": "一列",
      "Ids of many digits": "位数很多的编号",
      "Two columns, whatever their case": "两列，不分大小写",
      "Whole rows": "整行"
    }
  },
  "secret-masker": {
    "name": "遮盖密钥和口令",
    "description": "用标记代替凭据：带有发行方标志的密钥（AKIA…、ghp_…、sk-…、xoxb-…、AIza…、LTAI… 等）、JSON Web Token、PEM 私钥、网址中的口令，以及 api_key、token、password、密码等词之后的随机值（按熵判断）。占位符和变量引用保留。",
    "examples": {
      "Keys with the mark of their issuer": "带有发行方标志的密钥",
      "Behind a word that names it": "在相应名称之后",
      "In Chinese text": "中文文本中",
      "A private key": "私钥",
      "A password in an address": "网址中的口令",
      "Quoted passwords with signs": "引号中带符号的口令",
      "Options, tags and users of curl": "选项、标签和 curl 的用户",
      "A private key that is cut off": "不完整的私钥",
      "Calls stay": "函数调用保留",
      "Stars": "星号",
      "Placeholders and variables stay": "占位符和变量保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "sentence-count-filter": {
    "name": "按句数过滤",
    "description": "剔除少于 `min` 句或多于 `max` 句的样本（如 C4 规则，Raffel 等，2020，至少 5 句）。句子在 . ! ? 。 ！ ？ 等标点处和行末结束；“e.g.”等缩写和数中的点不算。",
    "measures": {
      "sentences": "句数"
    },
    "params": {
      "min": {
        "title": "最少句数",
        "help": "保留的最少句数"
      },
      "max": {
        "title": "最多句数",
        "help": "保留的最多句数"
      }
    },
    "examples": {
      "Enough sentences": "句子足够",
      "Chinese": "中文",
      "Too few": "句子太少"
    }
  },
  "sentence-splitter": {
    "name": "拆分为句子",
    "description": "每个句子或每 `count` 个句子成为一个样本，去掉首尾空白。按 Unicode（UAX #29）识别中文、英文和大多数语言的句子；缩写（Dr.、Fig. 3、U.S.）、姓名首字母、列表编号和引语后的说话人不算句末。",
    "params": {
      "count": {
        "title": "每个样本的句子数",
        "help": "相邻的这么多句子成为一个样本；最后一个可以更少"
      },
      "lines": {
        "title": "换行",
        "help": "END：句子到行尾结束。JOIN：句子在下一行继续，遇空行结束；用于固定宽度折行的文本"
      }
    },
    "examples": {
      "English": "英文",
      "Chinese": "中文",
      "Two at a time": "每次两句",
      "Lines of fixed width": "固定宽度的行",
      "A single sentence stays as it is": "单个句子保持原样"
    }
  },
  "short-line-ratio-filter": {
    "name": "按短行占比过滤",
    "description": "剔除超过 `max` 的行不超过 `length` 个字符的样本：菜单、列表、诗行（如 FineWeb 规则，Penedo 等，2024：30 个字符，0.67）。空行不计。同样的内容，中文只需约三分之一的字符。",
    "measures": {
      "shortLines": "不超过 30 个字符的行所占的比例"
    },
    "params": {
      "length": {
        "title": "短行的字符数",
        "help": "短行最多的字符数；中文取 10"
      },
      "max": {
        "title": "短行的最大占比",
        "help": "保留的短行的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "A menu": "菜单",
      "Chinese": "中文"
    }
  },
  "simhash-deduplicator": {
    "name": "SimHash 近似去重",
    "description": "在全部输入中，64 位指纹只差几位的文本保留第一个，其余剔除：速度快，每个样本 24 字节，适合只差个别词的长文本；更宽松的相似用 MinHash。指纹取自连续的词（Charikar，\"Similarity Estimation Techniques from Rounding Algorithms\"，2002），按块查找并以三位为界（Manku、Jain、Das Sarma，\"Detecting Near-Duplicates for Web Crawling\"，2007）。",
    "params": {
      "distance": {
        "title": "最多不同位数",
        "help": "指纹最多相差这么多位的文本视为近似重复"
      },
      "ngram": {
        "title": "连续词数",
        "help": "比较多少个连续的词；一个汉字算一个词"
      }
    },
    "examples": {
      "Case and punctuation make no difference": "大小写和标点不算",
      "Other words do": "不同的词算"
    }
  },
  "simplified-to-traditional": {
    "name": "简体转繁体",
    "description": "把简体中文写成繁体（OpenCC）：先按词组转换，因此 头发 变为 頭髮，发现 变为 發現。字形可选 OpenCC、台湾或香港的；选择台湾用词时，软件 变为 軟體。",
    "params": {
      "target": {
        "title": "写成",
        "help": "采用哪里的字形；TAIWAN_WORDS 还会写成台湾的用词"
      }
    },
    "examples": {
      "Phrases decide": "由词组决定",
      "Words of Taiwan": "台湾用词",
      "Variants of Hong Kong": "香港字形",
      "Other text stays": "其他文本保留"
    }
  },
  "special-character-ratio-filter": {
    "name": "按特殊字符占比过滤",
    "description": "剔除超过 `max` 的字符既不是字母、数字、变音符，也不是空白的样本：标记的残余、数字表格、噪声。",
    "measures": {
      "specialCharacters": "特殊字符所占的比例"
    },
    "params": {
      "max": {
        "title": "特殊字符的最大占比",
        "help": "保留的特殊字符的最大占比，0 到 1"
      }
    },
    "examples": {
      "Plain text": "普通文本",
      "Noise": "噪声",
      "Letters of any script": "任何文字的字母",
      "The bound belongs to what is kept": "等于上限的保留",
      "Nothing has no special characters": "空文本没有特殊字符"
    }
  },
  "split-writer": {
    "name": "划分训练、验证和测试",
    "description": "按给定份额，在每行的一列中写入 train、validation 或 test。近似重复的样本，以及分组列中值相同的行，都在同一部分（经由其他样本相连的也是），因此测试的内容不会在训练中出现。近似重复由 MinHash 找出，与“去除近似重复”相同；簇整体分配，最大的先分，各给最缺的部分。结果只取决于 `seed` 和样本在输入中的位置。日志说明达到的数量、缺少分组列的行数，以及写入列中原有其他值的行数。如果没有任何行有分组列，运行失败。",
    "params": {
      "train": {
        "title": "训练",
        "help": "样本的百分比"
      },
      "validation": {
        "title": "验证",
        "help": "样本的百分比"
      },
      "test": {
        "title": "测试",
        "help": "样本的百分比"
      },
      "column": {
        "title": "列",
        "help": "写入所属部分的列"
      },
      "group": {
        "title": "分组列",
        "help": "其中值相同的行在同一部分，如同一作者；不填则不分组"
      },
      "nearDuplicates": {
        "title": "近似重复在同一部分",
        "help": "比较文本"
      },
      "threshold": {
        "title": "相似度",
        "help": "估计的相似度（0 到 1）达到多少则在同一部分"
      },
      "ngram": {
        "title": "词串的词数",
        "help": "一个词串的词数；越少，找出的相似越宽松"
      },
      "permutations": {
        "title": "哈希函数个数",
        "help": "16 的倍数：越多估计越准，用时也相应更长"
      },
      "seed": {
        "title": "种子",
        "help": "换一个数就抽到别的样本"
      }
    },
    "examples": {
      "Near-duplicates stay together": "近似重复在同一部分",
      "The same author stays together": "同一作者在同一部分"
    }
  },
  "stop-word-filter": {
    "name": "按停用词过滤",
    "description": "剔除所含停用词种数少于 `min` 的样本：连贯的文本几乎离不开这些词，关键词列表、表格和其他语言则没有。默认为 Gopher 规则（Rae 等，2021）的八个英文词和九个同类的汉字。",
    "measures": {
      "stopWords": "停用词的种数（共 17 个）"
    },
    "params": {
      "words": {
        "title": "停用词",
        "help": "逐字比较的词；中文为单个汉字"
      },
      "min": {
        "title": "最少停用词数",
        "help": "保留的最少停用词种数"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Chinese": "中文",
      "Keywords": "关键词",
      "Another language": "其他语言"
    }
  },
  "symbol-word-ratio-filter": {
    "name": "按每词的符号数过滤",
    "description": "剔除每词的某些符号多于 `max` 个的样本：井号、省略号（如 Gopher 规则，Rae 等，2021，两者各取 0.1）。",
    "measures": {
      "symbolsPerWord": "每词的井号数"
    },
    "params": {
      "symbols": {
        "title": "符号",
        "help": "要计数的符号，例如 #，或 … 及其另一写法 ..."
      },
      "max": {
        "title": "每词的最多符号数",
        "help": "保留的每词符号数的最大值；词包括数和标点"
      }
    },
    "examples": {
      "A heading": "标题",
      "Hash tags": "话题标签",
      "Ellipses in either form": "两种省略号"
    }
  },
  "table-of-contents-remover": {
    "name": "去除目录",
    "description": "去掉目录：标题（Contents、目录）及其后的条目；没有标题时，连续三条或更多带引导符和页码的标题，或 Markdown 中指向本文档的链接。单独一行保留。",
    "params": {
      "minEntries": {
        "title": "最少条目数",
        "help": "连续的条目更少就不算目录"
      }
    },
    "examples": {
      "With its heading": "连同标题",
      "Chinese": "中文",
      "Links of Markdown": "Markdown 链接",
      "A single line stays": "单独一行保留",
      "A heading alone stays": "单独的标题保留"
    }
  },
  "text-length-filter": {
    "name": "按文本长度过滤",
    "description": "剔除文本短于 `min` 或长于 `max` 的样本：可按字符（Unicode 码点）、按词（每个汉字算一个词，标点不算）或按语言模型的词元（OpenAI 的 `o200k_base`，其他模型与之相近）计。",
    "measures": {
      "length": "文本长度（码点数）"
    },
    "params": {
      "min": {
        "title": "最短长度",
        "help": "保留的最少字符数、词数或词元数"
      },
      "max": {
        "title": "最长长度",
        "help": "保留的最多字符数、词数或词元数"
      },
      "unit": {
        "title": "计量单位",
        "help": "两个界限的单位"
      }
    },
    "examples": {
      "Long enough": "足够长",
      "Both bounds belong to what is kept": "等于上下限的保留",
      "Too short": "太短",
      "Too long": "太长",
      "Code points, not UTF-16 units": "以码点计，不以 UTF-16 单元计",
      "Words": "按词计",
      "Too few tokens": "词元太少",
      "Empty text goes by default": "默认剔除空文本"
    }
  },
  "top-ngram-filter": {
    "name": "按最常见的词串过滤",
    "description": "剔除由 `ngram` 个词组成的最常见词串占字符超过 `max` 的样本（如 Gopher 规则，Rae 等，2021：2 词取 0.2，3 词取 0.18，4 词取 0.16）。标点也算词，每个汉字算一个词；只出现一次的词串不计。",
    "measures": {
      "topPair": "最常见的两词词串所占的字符比例"
    },
    "params": {
      "ngram": {
        "title": "词串的词数",
        "help": "一个词串的词数"
      },
      "max": {
        "title": "字符的最大占比",
        "help": "保留的最常见词串所占字符的最大比例，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "The same words over and over": "反复出现同样的词",
      "Chinese": "中文"
    }
  },
  "traditional-to-simplified": {
    "name": "繁体转简体",
    "description": "把繁体中文写成简体（OpenCC）：先按词组转换，因此 乾燥 变为 干燥，而 乾坤 仍为 乾坤。选择台湾用词时，軟體 也变为 软件。",
    "params": {
      "source": {
        "title": "原文用字",
        "help": "原文采用哪里的字形；TAIWAN_WORDS 还会替换只在台湾使用的词"
      }
    },
    "examples": {
      "Characters": "单字",
      "Phrases decide": "由词组决定",
      "Words of Taiwan": "台湾用词",
      "Other text stays": "其他文本保留"
    }
  },
  "unfinished-line-remover": {
    "name": "去除不成句的行",
    "description": "保留像句子一样结尾且词数足够的行，去掉其余的行、空行和含有某些短语的行：菜单、按钮、Cookie 提示（如 C4 规则，Raffel 等，2020）。保留的行去掉首尾空白。",
    "params": {
      "needsEnd": {
        "title": "须像句子一样结尾",
        "help": "去掉不以 . ! ? 。 ！ ？ 或后引号结尾的行，以及以三个点结尾的行"
      },
      "minWords": {
        "title": "最少词数",
        "help": "保留的行的最少词数，以空格分词；中文取 1"
      },
      "maxWordLength": {
        "title": "最长的词",
        "help": "保留的行中一个词最多的字符数"
      },
      "phrases": {
        "title": "短语",
        "help": "去掉含有其中之一的行，不分大小写"
      },
      "removeCitations": {
        "title": "去除引文标记",
        "help": "去掉保留的行中的 [3]、[edit]、[citation needed] 等标记"
      }
    },
    "examples": {
      "A page": "网页",
      "Titles stay": "保留标题",
      "Chinese": "中文",
      "Sentences alone": "全是句子"
    }
  },
  "unicode-normalizer": {
    "name": "规范化 Unicode",
    "description": "让同一字符只有一种写法（Unicode 规范化，UAX #15）：NFC 把字母与重音合成一个字符；NFKC 还把连字、全角和带圈的形式变为普通形式；NFD 和 NFKD 把字母与重音拆开。",
    "params": {
      "form": {
        "title": "规范化形式",
        "help": "规范化形式；NFC 不丢失读者看得见的区别，NFKC 和 NFKD 会"
      }
    },
    "examples": {
      "Letters and accents are composed": "字母与重音合成",
      "Ligatures and full-width forms stay in NFC": "NFC 保留连字和全角",
      "They become plain in NFKC": "NFKC 变为普通形式",
      "Taken apart in NFD": "NFD 拆开",
      "Plain text stays as it is": "普通文本不变"
    }
  },
  "uppercase-ratio-filter": {
    "name": "按大写字母占比过滤",
    "description": "剔除超过 `max` 的字母是大写的样本：全大写的叫卖、标题、代码列表。没有大小写的文字（如中文）也计作字母。",
    "measures": {
      "uppercase": "大写字母占字母的比例"
    },
    "params": {
      "max": {
        "title": "大写字母的最大占比",
        "help": "保留的大写字母的最大占比，0 到 1"
      }
    },
    "examples": {
      "Running text": "连贯的文本",
      "Shouting": "全大写的叫卖",
      "Chinese": "中文"
    }
  },
  "url-masker": {
    "name": "遮盖网址",
    "description": "用标记代替网址：带协议的（https、http、ftp、ssh、git、wss 等）和以 www 开头的。句末的标点保留。",
    "examples": {
      "The full stop stays": "句末标点保留",
      "In Chinese text": "中文文本中",
      "Brackets of its own belong to it": "网址自身的括号属于网址",
      "Stars": "星号",
      "Removal": "删除",
      "What is no address stays": "不是网址的保留"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "url-remover": {
    "name": "去除网址",
    "description": "去掉网址（https、http、ftp 等协议，以及 www.），或用一段文字代替。句末的标点保留。",
    "measures": {
      "addresses": "网址的个数"
    },
    "params": {
      "replacement": {
        "title": "替换文字",
        "help": "代替网址的文字"
      }
    },
    "examples": {
      "Addresses go": "去掉网址",
      "The full stop stays": "句末标点保留",
      "A Chinese sentence goes on": "中文句子继续",
      "What is no address stays": "不是网址的保留"
    }
  },
  "us-ssn-masker": {
    "name": "遮盖美国社会安全号码",
    "description": "用标记代替美国的社会安全号码和个人纳税人号码：以连字符分开的三、两、四位数字，且可能已发放；以空格分开或连写的只在 SSN 等词旁才算。",
    "examples": {
      "With hyphens": "带连字符",
      "Beside a word": "在相关词旁",
      "In Chinese text": "中文文本中",
      "Stars": "星号",
      "Never given out": "从未发放的"
    },
    "params": {
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    }
  },
  "whitespace-normalizer": {
    "name": "规范化空白",
    "description": "把各种空白变为单个空格，把各种换行变为换行符，去掉行尾空格和多余的空行。行、段落和行首缩进保留，代码、Makefile 和嵌套列表的含义不变。",
    "params": {
      "maxBlankLines": {
        "title": "相连空行数",
        "help": "文本中允许相连的空行数；更多的会被去掉"
      },
      "keepIndentation": {
        "title": "保留缩进",
        "help": "行首的制表符和空格保持原样（其他空白各变为一个空格）；否则变为一个空格"
      }
    },
    "examples": {
      "Runs of blanks become one space": "相连空白变为一个空格",
      "Unicode spaces are spaces": "Unicode 空格算作空格",
      "Line ends become line feeds": "换行统一为换行符",
      "Trailing spaces go": "去掉行尾空格",
      "Paragraphs stay": "段落保留",
      "Surplus blank lines go": "去掉多余空行",
      "A paragraph separator is a blank line": "段落分隔符是空行",
      "Blank lines around the text go, its last line end stays": "去掉首尾空行，保留末尾换行",
      "Indentation stays": "缩进保留",
      "A single line is not indented": "单独一行不缩进",
      "Other blanks in an indentation become spaces": "缩进中的其他空白变为空格",
      "Unless lines should begin alike": "也可让各行起头一致",
      "No blank lines on request": "按需不留空行",
      "Nothing but blanks becomes nothing": "只有空白的变为空"
    }
  },
  "width-normalizer": {
    "name": "规范化全角和半角",
    "description": "把全角字母、数字和符号（ＡＢＣ１２３％）写成半角，表意空格写成空格，半角片假名（ﾊﾝｶｸ）写成全角：只限于 Unicode 的兼容形式（U+FF00 至 U+FFEF）。中文标点保留，除非要求转换。",
    "params": {
      "punctuation": {
        "title": "也转换标点",
        "help": "同时把 ，！？：；（） 写成 , ! ? : ; ( )：适用于在中文输入法下写的英文，不适用于中文句子"
      }
    },
    "examples": {
      "Letters, digits and signs": "字母、数字和符号",
      "Chinese punctuation stays": "中文标点保留",
      "Unless asked for": "除非要求转换",
      "Half-width katakana": "半角片假名",
      "Other forms stay": "其他形式保留"
    }
  },
  "word-masker": {
    "name": "遮盖词表中的词",
    "description": "用标记代替您的词表中的每个词或短语：客户、项目、地点的名称。字母组成的词只按整词计；中文词在任何位置都算。同一位置有几个词时取最长的。",
    "params": {
      "words": {
        "title": "词表",
        "help": "词和短语，每行一个或以逗号分隔，每个最多 100 个字符"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "不论大小写都算"
      },
      "tag": {
        "title": "标记中的名称",
        "help": "TAG 和 HASH 写在方括号中的名称：大写字母、数字和下划线"
      },
      "mode": {
        "title": "代替的内容",
        "help": "TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西"
      },
      "key": {
        "title": "散列密钥",
        "help": "用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示"
      }
    },
    "examples": {
      "Whole words, in any case": "整词，不论大小写",
      "Chinese words": "中文词",
      "The longest counts": "取最长的",
      "Stars": "星号",
      "As written": "区分大小写",
      "No words, no change": "没有词则不变"
    }
  },
  "word-remover": {
    "name": "去除词表中的词",
    "description": "去掉您的词表中的每个词或短语，或用一段文字代替。字母组成的词只按整词计；中文词在任何位置都算。同一位置有几个词时取最长的。",
    "params": {
      "words": {
        "title": "词表",
        "help": "词和短语，每行一个或以逗号分隔，每个最多 100 个字符"
      },
      "ignoreCase": {
        "title": "忽略大小写",
        "help": "不论大小写都算"
      },
      "replacement": {
        "title": "替换文字",
        "help": "代替词的文字"
      }
    },
    "examples": {
      "Whole words": "整词",
      "Chinese words": "中文词",
      "A text in their place": "用文字代替",
      "No words, no change": "没有词则不变"
    }
  },
  "xml-to-text": {
    "name": "XML 转文本",
    "description": "读取 XML 文档并写出其文本：每个元素一行，夹在文字中的元素留在句中。字符引用和 CDATA 变为字符（XML 1.0，2.4 和 4.1）；属性、注释和文档自行声明的实体不成为文本。格式不正确的尽量读取；没有标签的文本保持不变。",
    "params": {
      "elements": {
        "title": "只取这些元素",
        "help": "元素名，用逗号分隔，如 title, p；不填表示全部"
      },
      "without": {
        "title": "不取这些元素",
        "help": "连同内容一并去掉的元素名"
      }
    },
    "examples": {
      "Elements become lines": "元素成为行",
      "Some of them": "部分元素",
      "CDATA is text": "CDATA 是文本",
      "Text without tags stays": "没有标签的文本保留"
    }
  }
};

/** Why operators drop samples, by codes. */
export const operatorSentences: Readonly<Record<string, string>> = {
  "ALPHABETIC_SHARE_BELOW_MIN": "含字母的词占比 {share}，低于下限 {min}",
  "OVER_SHARE": "超过 {class} 的份额：{size} 个样本中保留 {kept} 个",
  "OVER_SHARE_TOKENS": "超过 {class} 的份额：{size} 个词元中保留 {kept} 个",
  "WITHOUT_SHARE": "没有给出 {class} 的份额",
  "CLASS_SHORT": "{class} 只有 {size} 个样本，不足 {wanted}",
  "CLASS_SHORT_TOKENS": "{class} 只有 {size} 个词元，不足 {wanted}",
  "CLASS_EMPTY": "没有属于 {class} 的样本：其权重不计",
  "CLASS_LIMITS": "按权重算，{class} 的样本最少，有 {size} 个：总共保留 {total} 个样本",
  "CLASS_LIMITS_TOKENS": "按权重算，{class} 的词元最少，有 {size} 个：总共至多保留 {total} 个词元",
  "TOO_MANY_CLASSES": "{column} 的值超过 {limit} 种：请选择把样本分成类别的列",
  "NO_WEIGHTS": "必须是名称与大于 0 的数字的对，如 {example}",
  "COLUMN_NOWHERE": "{samples} 个样本都没有列 {column}：请检查列名，区分大小写",
  "COLUMN_LACKED": "{samples} 个样本中有 {lacking} 个没有列 {column}",
  "COLUMN_REPLACED": "{samples} 个样本中有 {replaced} 个的列 {column} 原有其他值，已被替换",
  "BULLET_SHARE_ABOVE_MAX": "项目符号行占比 {share}，超过上限 {max}",
  "NO_SUCH_COLUMN": "该行没有列 {column}",
  "NOTHING_AT_PATH": "该行在 {path} 处没有值",
  "COLUMN_IS_TAKEN": "该行已有列 {column}",
  "COLUMN_NOT_OF_KIND": "{column} 的值是 {value}，不是 {kind}",
  "NO_PAIRS": "必须是成对的名称，如 old=new",
  "NO_JSON_VALUE": "必须是 JSON，如 0 或 [\"a\"]",
  "NO_PATH": "必须是路径，如 a.b[0].c",
  "NOT_AMONG": "{column} 为 {value}，不在保留的值中",
  "AMONG": "{column} 为 {value}，在剔除的值中",
  "REPEATED_CHARACTERS_ABOVE_MAX": "重复的 {ngram} 字符串占比 {share}，超过上限 {max}",
  "OVERLAP_TOO_LARGE": "不得超过 size 的一半（{half}）",
  "CONTAMINATED": "其他数据集也有的 {ngram} 词词串占 {share}，超过上限 {max}：{place}",
  "DIGIT_SHARE_ABOVE_MAX": "数字占比 {share}，超过上限 {max}",
  "REPEATED_LINES_ABOVE_MAX": "重复行占比 {share}，超过上限 {max}",
  "REPEATED_LINE_CHARACTERS_ABOVE_MAX": "重复行的字符占比 {share}，超过上限 {max}",
  "DUPLICATE_NGRAMS_ABOVE_MAX": "重复的 {ngram} 词词串占字符 {share}，超过上限 {max}",
  "REPEATED_PARAGRAPHS_ABOVE_MAX": "重复段落占比 {share}，超过上限 {max}",
  "REPEATED_PARAGRAPH_CHARACTERS_ABOVE_MAX": "重复段落的字符占比 {share}，超过上限 {max}",
  "ELLIPSIS_SHARE_ABOVE_MAX": "以省略号结尾的行占比 {share}，超过上限 {max}",
  "DUPLICATE_OF": "与 {sample} 重复",
  "FILE_DUPLICATE_OF": "与 {sample} 的字节相同",
  "FILE_BELOW_MIN": "文件 {bytes} 字节，低于下限 {min}",
  "FILE_ABOVE_MAX": "文件 {bytes} 字节，高于上限 {max}",
  "BEHIND_THE_FIRST": "在前 {count} 个样本之后",
  "FLAGGED_SHARE_ABOVE_MAX": "每词的不良词数为 {share}，超过上限 {max}",
  "KEYWORDS_ABOVE_MAX": "禁用关键词出现 {count} 次（如 {keyword}），超过上限 {max}",
  "RATIO_BELOW_MIN": "宽高比 {ratio} 低于下限 {min}",
  "RATIO_ABOVE_MAX": "宽高比 {ratio} 高于上限 {max}",
  "BLURRED": "清晰度 {sharpness} 低于下限 {min}",
  "TOO_DARK": "亮度 {brightness} 低于下限 {min}",
  "TOO_BRIGHT": "亮度 {brightness} 高于上限 {max}",
  "NEAR_PICTURE": "与 {sample} 看起来相同：64 位中有 {distance} 位不同",
  "SIDE_BELOW_MIN": "短边 {side} 像素低于下限 {min}",
  "SIDE_ABOVE_MAX": "短边 {side} 像素高于上限 {max}",
  "LANGUAGE_NOT_KEPT": "语言 {language} 不在 {languages} 之中",
  "LANGUAGE_UNKNOWN": "只能由已知语言的代码组成；{code} 不在 {known} 之中",
  "LANGUAGE_UNSURE": "语言为 {language} 的置信度 {confidence} 低于 {min}",
  "LANGUAGE_UNDETERMINED": "无法判断语言",
  "LINE_BREAKS_ABOVE_MAX": "每词的换行数为 {ratio}，超过上限 {max}",
  "ENDED_SHARE_BELOW_MIN": "以句末标点结尾的行占比 {share}，低于下限 {min}",
  "EMPTY_LIST": "{column} 是空列表",
  "MEAN_LENGTH_BELOW_MIN": "平均词长 {length} 低于下限 {min}",
  "MEAN_LENGTH_ABOVE_MAX": "平均词长 {length} 超过上限 {max}",
  "NEAR_DUPLICATE_OF": "与 {sample} 近似重复（相似度 {similarity}）",
  "BANDS_ABOVE_PERMUTATIONS": "不能大于哈希函数个数（{bands} > {permutations}）",
  "BANDS_COMPARE": "{bands} 段，每段 {rows} 个哈希函数：相似度为 {threshold} 的样本对有 {percent}% 会比较，相似度为 {half} 的有一半",
  "NO_MODEL_CHOSEN": "必须指定一个模型；管理员在设置中添加模型",
  "NOTHING_TO_ASK_ABOUT": "文本为空，因此没有询问模型",
  "LABEL_NOT_KEPT": "模型判断为 {label}，不在要保留的标签之中",
  "LABEL_TWICE": "标签 {label} 只能出现一次",
  "LABEL_WITHOUT_NAME": "冒号之前必须有名称：{line}",
  "LABEL_UNKNOWN": "必须是标签之一；{label} 不是",
  "GRADE_BELOW_MIN": "模型评分 {score}（满分 {scale}）低于下限 {min}",
  "MIN_ABOVE_SCALE": "不能大于最高分（{min} > {scale}）",
  "PROMPT_WITHOUT_TEXT": "必须包含 {placeholder}，它代表文本",
  "REPLY_CUT": "模型的回复被截断：请提高 replyTokens",
  "REPLY_EMPTY": "模型没有回复任何内容",
  "NUMBER_OUT": "{column} 为 {number}，不满足 {comparison} {value}",
  "NO_REGION": "须为国家代码，如 DE、FR；{code} 不是",
  "PUNCTUATION_SHARE_ABOVE_MAX": "标点占比 {share}，超过上限 {max}",
  "NOT_DRAWN": "未抽中：{number} 大于占比 {share}",
  "READABILITY_BELOW_MIN": "易读度 {ease} 低于下限 {min}",
  "READABILITY_ABOVE_MAX": "易读度 {ease} 超过上限 {max}",
  "MATCHES_BELOW_MIN": "表达式匹配 {count} 次，低于下限 {min}",
  "MATCHES_ABOVE_MAX": "表达式匹配 {count} 次，超过上限 {max}",
  "NO_EXPRESSION": "必须是 RE2 的正则表达式：{problem}",
  "NOT_RE2": "不是 RE2 的正则表达式：{cause}",
  "TOO_LONG": "替换后的文本超过 {most} 个字符，原文长 {length}",
  "REPEATED_SHARE_ABOVE_MAX": "重复的 {ngram} 词片段占比 {share}，超过上限 {max}",
  "KEYWORDS_BELOW_MIN": "必需关键词出现 {count} 个，低于下限 {min}",
  "SAME_KEY_AS": "与 {sample} 的键相同",
  "SENTENCES_BELOW_MIN": "句数 {count} 低于下限 {min}",
  "SENTENCES_ABOVE_MAX": "句数 {count} 超过上限 {max}",
  "SHORT_SHARE_ABOVE_MAX": "不超过 {length} 个字符的行占比 {share}，超过上限 {max}",
  "NEAR_BY_BITS": "与 {sample} 近似重复：64 位中有 {distance} 位不同",
  "SPECIAL_SHARE_ABOVE_MAX": "特殊字符占比 {share}，超过上限 {max}",
  "SPLIT_SIZES": "共 {samples} 个样本：train {train}，validation {validation}，test {test}；有 {clusters} 个须在同一部分的簇，最大的有 {largest} 个样本",
  "SPLIT_OFF_SHARE": "{part} 有 {size} 个样本，应有 {wanted} 个：簇不拆开，最大的有 {largest} 个样本",
  "SPLIT_CROWDED": "有 {times} 次样本未被记住以供比较，因为已有 {limit} 个键相同而内容不同的样本；其近似重复可能在另一部分",
  "SPLIT_SUM": "与其他各项之和必须为 100，而不是 {sum}",
  "FEW_STOP_WORDS": "停用词 {count} 种，低于下限 {min}",
  "SYMBOLS_ABOVE_MAX": "每词的 {symbols} 为 {ratio}，超过上限 {max}",
  "LENGTH_BELOW_MIN": "长度 {length} 低于下限 {min}",
  "LENGTH_ABOVE_MAX": "长度 {length} 超过上限 {max}",
  "TOP_NGRAM_ABOVE_MAX": "最常见的 {ngram} 词词串占字符 {share}，超过上限 {max}",
  "UPPERCASE_SHARE_ABOVE_MAX": "大写字母占比 {share}，超过上限 {max}"
};
