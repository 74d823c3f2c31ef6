"""Prints pages with their main content and trafilatura's extraction of it, as JSON Lines.

Usage: peer.py --packages prints the names of Debian packages; peer.py FOLDER reads their pages from a folder that contains
each package unpacked in a subfolder of its name. The main content of a documentation page is what its generator marks as
such; pages made from templates are filled with text of those pages.
"""

import json
import random
import re
import sys
from pathlib import Path

import trafilatura
from lxml import html

# Package, its pages, how many of them, the elements that hold the content, and the parts of those that are not
# content: navigation, tables of contents and link symbols.
NAVIGATION = [
    "//*[contains(concat(' ',@class,' '),' navheader ')]",
    "//*[contains(concat(' ',@class,' '),' navfooter ')]",
    "//*[contains(concat(' ',@class,' '),' toc ')]",
]
DOCBOOK = ("//body", NAVIGATION)
SPHINX = ("//div[@role='main']", ["//a[@class='headerlink']", "//div[contains(@class,'toctree-wrapper')]", "//nav"])
PUBLICAN = (
    "//body",
    [*NAVIGATION, "//*[@id='banner']", "//p[@id='title']", "//ul[contains(@class,'docnav')]"],
)
ASCIIDOC = ("//div[@id='header']|//div[@id='content']", ["//*[@id='toc']"])
APACHE = (
    "//div[@id='page-content']",
    [
        "//*[@class='toplang']",
        "//*[@id='quickview']",
        "//button",
        "//*[@class='top']",
        "//*[@id='comments_section']",
        "//*[@class='comments-disabled']",
    ],
)
GTKDOC = ("//body", ["//table[@class='navigation']", "//*[@class='toc']", "//div[@class='footer']"])
MKDOCS = ("//div[@role='main']", ["//a[@class='headerlink']"])
NODE = ("//header/h1|//div[@id='apicontent']", ["//a[@class='mark']", "//details[@id='toc']"])
TEXINFO = ("//body/div", ["//div[contains(@class,'header')]", "//table[@class='menu']", "//ul[@class='section-toc']"])
SQLITE = ("//body", ["//*[@class='nosearch']", "//*[@id='toc_sub']", "//*[@class='fancy_toc']", "//*[@id='mtimelink']/.."])
PACKAGES = [
    ("debian-policy", "**/policy.html/*.html", 25, SPHINX),
    ("developers-reference", "**/*.html", 12, SPHINX),
    ("python-flask-doc", "**/html/**/*.html", 25, SPHINX),
    ("postgresql-doc-15", "**/*.html", 35, DOCBOOK),
    ("aptitude-doc-en", "**/*.html", 25, DOCBOOK),
    ("debian-faq", "**/*.html", 16, DOCBOOK),
    ("debian-faq-zh-cn", "**/*.html", 16, DOCBOOK),
    ("debian-reference-zh-cn", "**/ch*.html", 12, DOCBOOK),
    ("debian-handbook", "**/zh-CN/*.html", 20, PUBLICAN),
    ("debian-handbook", "**/en-US/*.html", 20, PUBLICAN),
    ("git-doc", "**/git-*.html", 25, ASCIIDOC),
    ("apache2-doc", "**/en/*/*.html", 25, APACHE),
    ("libglib2.0-doc", "**/html/**/*.html", 25, GTKDOC),
    ("mkdocs-doc", "**/html/**/*.html", 20, MKDOCS),
    ("nodejs-doc", "**/api/*.html", 25, NODE),
    ("octave-doc", "**/*.html", 25, TEXINFO),
    ("sqlite3-doc", "**/sqlite3/*.html", 20, SQLITE),
]
UNREAD = "//script|//style|//noscript|//template|//head|//comment()|//select|//svg"

# Placeholders of the title, the paragraphs and a list; the rest is typical for pages around their content.
LINKS = "".join(f'<li><a href="/{n}">{n}</a></li>' for n in ("Home", "About us", "Products", "Blog", "Contact", "Login"))
TEASERS = "".join(
    f'<div class="card"><h4><a href="/p/{n}">Ten reasons why {n} matters more than ever</a></h4><p>A short teaser of it. '
    f'<a href="/p/{n}">Read more</a></p></div>'
    for n in ("speed", "safety", "simplicity", "storage")
)
COOKIES = "<p>We use cookies to make this site better. By going on you agree to our <a href=/c>policy</a>.</p><button>Accept all</button>"
TEMPLATES = {
    "semantic": '<header><nav><ul>{links}</ul></nav></header><main><article><h1>{title}</h1>{body}</article></main><aside>{teasers}</aside><footer><p>© 2024 Example Ltd. All rights reserved.</p><ul>{links}</ul></footer>',
    "weblog": '<div id="page" class="hfeed site"><header id="masthead" class="site-header"><a href="/">My weblog</a><nav class="main-navigation"><ul>{links}</ul></nav></header><div id="content" class="site-content"><div class="content-area"><article class="post hentry"><header class="entry-header"><h1 class="entry-title">{title}</h1></header><div class="entry-content">{body}</div><footer class="entry-footer">Posted in <a href="/c">News</a> | <a href="/t">Tagged</a></footer></article><div id="comments" class="comments-area"><h2>2 thoughts on this</h2><ol><li>Great post, thank you very much for it!</li><li>I do not agree with any of this.</li></ol></div></div><div id="secondary" class="widget-area"><section class="widget"><h2>Recent posts</h2><ul>{links}</ul></section></div></div><footer class="site-footer">Proudly powered by a weblog program</footer></div>',
    "news": '<div class="cookie-banner">{cookies}</div><div class="topbar"><ul>{links}</ul></div><div class="container"><div class="row"><div class="col-md-8"><div class="article-body"><h1>{title}</h1><div class="share-buttons"><a href="#">Share</a> <a href="#">Tweet</a></div>{body}</div></div><div class="col-md-4 sidebar"><h3>Most read</h3>{teasers}</div></div></div><div class="footer"><ul>{links}</ul><p>Imprint and terms of use</p></div>',
    "tables": '<table width="100%"><tr><td colspan="2"><a href="/">Home</a> | <a href="/a">About</a> | <a href="/b">Contact</a></td></tr><tr><td width="20%"><ul>{links}</ul></td><td><h1>{title}</h1>{body}</td></tr><tr><td colspan="2"><small>Copyright 2003 by the webmaster. <a href="/x">Top</a></small></td></tr></table>',
    "plain": "<h1>{title}</h1>{body}<hr><p><a href=/>Back to the index</a></p>",
    "documentation": '<nav class="md-nav"><ul>{links}</ul></nav><div class="md-content"><article class="md-content__inner"><h1>{title}<a class="headerlink" href="#x">¶</a></h1>{body}</article></div><nav class="md-nav--secondary"><ul>{links}</ul></nav><footer class="md-footer">Made with a generator</footer>',
    "application": '<div id="root"><div class="css-1x2"><div class="css-9ab"><a href="/">Home</a><a href="/s">Search</a><a href="/l">Log in</a></div><div class="css-77f"><h1>{title}</h1><div>{body}</div></div><div class="css-4c4">{teasers}</div><div class="css-0aa"><a href="/p">Privacy</a><a href="/t">Terms</a><span>© Example</span></div></div></div>',
    "portal": '<div class="breadcrumb"><a href="/">首页</a> &gt; <a href="/n">新闻</a></div><div class="wrap"><div class="left"><h1>{title}</h1><div class="info">来源：示例网 <a href="#">分享</a></div><div id="artibody">{body}</div><div class="related"><h3>相关阅读</h3><ul>{links}</ul></div></div><div class="right"><div class="hot"><h3>热门推荐</h3>{teasers}</div></div></div><div class="bottom"><a href="/a">关于我们</a> <a href="/b">联系方式</a> <span>版权所有</span></div>',
}
PAGES_OF_TEMPLATE = 10

# What whole pages of such sites stand in, and what else they have; {0} is the body of a page.
WRAPPERS = {
    "form": '<form method="post" action="./page.aspx" id="aspnetForm"><div class="aspNetHidden"><input type="hidden" name="__VIEWSTATE"></div>{0}</form>',
    "form beside menus": '<header><ul>' + LINKS + '</ul></header><form id="Form"><div id="dnn_ContentPane">{0}</div></form><footer><p>© 2024 Example Ltd.</p></footer>',
    "dialog": '<div role="dialog" aria-modal="true"><div class="modal-body">{0}</div></div>',
    "sidebar wrapper": '<div class="layout with-sidebar"><div class="sidebar">{0}</div></div><nav><ul>' + LINKS + '</ul></nav>',
    "widget": '<div class="elementor-widget widget"><div class="widget-container">{0}</div></div>',
    "comments": '<div class="topbar"><ul>' + LINKS + '</ul></div><div id="comments">{0}</div>',
    "aside": '<aside>{0}</aside>',
    "footer": '<div class="page-header"><a href="/">Home</a></div><div class="footer">{0}</div>',
    "social": '<div class="social-network share-page">{0}</div>',
    "popup in a form": '<form><div class="popup">{0}</div></form><nav><ul>' + LINKS + '</ul></nav>',
}
PAGES_OF_WRAPPER = 45


def words_of(tree, path, left_out):
    for pattern in [UNREAD, *left_out]:
        for element in tree.xpath(pattern):
            if element.getparent() is not None:
                element.drop_tree()
    return "\n".join(spaced(found) for found in tree.xpath(path))


def spaced(element):
    """The text of an element; words of neighbouring elements are separated only if they are blocks."""
    inline = {"a", "abbr", "acronym", "b", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var"}
    parts = [element.text or ""]
    for child in element:
        gap = "" if child.tag in inline else "\n"
        parts += [gap, spaced(child), gap, child.tail or ""]
    return "".join(parts)


def documentation(folder, draw):
    for package, pattern, count, (path, left_out) in PACKAGES:
        files = sorted(file for file in (folder / package).glob(pattern) if 4_000 < file.stat().st_size < 400_000)
        for file in draw.sample(files, min(count, len(files))):
            page = file.read_text("utf-8", errors="replace")
            text = words_of(html.document_fromstring(page.encode(), parser=html.HTMLParser(encoding="utf-8")), path, left_out)
            if len(text.strip()) > 300:
                yield package, page, text


def wrapped(pages, draw):
    """Pages of every source in wrappers whose names promise something else than content."""
    for name, wrapper in WRAPPERS.items():
        for _, page, text in draw.sample(pages, min(PAGES_OF_WRAPPER, len(pages))):
            parts = re.fullmatch(r"(.*<body[^>]*>)(.*)(</body>.*)", page, re.DOTALL | re.IGNORECASE)
            if parts:
                yield f"wrapped in {name}", parts[1] + wrapper.replace("{0}", parts[2]) + parts[3], text


def templated(texts, draw):
    for name, template in TEMPLATES.items():
        own = [text for text, is_chinese in texts if is_chinese == (name == "portal")]
        for _ in range(PAGES_OF_TEMPLATE):
            paragraphs = [line for line in draw.choice(own) if 80 < len(line)] if own else []
            start = draw.randrange(max(1, len(paragraphs) - 8))
            chosen = paragraphs[start : start + draw.randint(3, 8)]
            if len(chosen) < 3:
                continue
            title, items = chosen[0][:60].strip(), ["One of the points", "另一点", "The last of them"]
            body = "".join(f"<p>{escaped(line)}</p>" for line in chosen) + "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
            page = template.format(title=escaped(title), body=body, links=LINKS, teasers=TEASERS, cookies=COOKIES)
            yield f"template {name}", f"<!DOCTYPE html><html><head><title>{escaped(title)}</title></head><body>{page}</body></html>", "\n".join([title, *chosen, *items])


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def main():
    if sys.argv[1] == "--packages":
        print("\n".join(sorted({package for package, *_ in PACKAGES})))
        return
    draw = random.Random(7)
    pages = list(documentation(Path(sys.argv[1]), draw))
    texts = []
    for source, _, text in pages:
        lines = [" ".join(block.split()) for block in text.split("\n\n")]
        texts.append((lines, source.endswith("zh-cn")))
    long_enough = [(lines, is_chinese) for lines, is_chinese in texts if sum(len(line) > 80 for line in lines) > 5]
    whole = [*pages, *templated(long_enough, draw)]
    for source, page, gold in [*whole, *wrapped(whole, draw)]:
        theirs = trafilatura.extract(page, include_comments=False, include_tables=True) or ""
        print(json.dumps({"source": source, "page": page, "gold": gold, "theirs": theirs}))


main()
