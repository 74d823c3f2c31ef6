"""Makes the campaign's documents in a folder, and records each one's text in order, headings and tables in truth.json."""

import json
import random
import subprocess
import sys
from pathlib import Path

import docx
import openpyxl
from PIL import Image, ImageDraw
from pptx import Presentation
from pypdf import PdfReader, PdfWriter
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

folder = Path(sys.argv[1])
per_kind = int(sys.argv[2])
truth = {}
styles = getSampleStyleSheet()
WORDS = (
    "soil water field yield crop season measure sample river north train harvest engine report village winter market "
    "grain record column average margin garden bridge letter morning planet signal copper silver forest meadow"
).split()
CJK = {
    "STSong-Light": "数据清洗是机器学习的基础工作需要仔细核对每一行文字",
    "HeiseiMin-W3": "日本語の文章をきれいにする作業はとても大切です",
    "HYSMyeongJo-Medium": "한국어 문장을 정리하는 일은 매우 중요합니다",
    "MSung-Light": "資料清理是機器學習的基礎工作",
    "HeiseiKakuGo-W5": "東京の天気は晴れで風は弱いでしょう",
    "HYGothic-Medium": "대한민국의 수도는 서울이고 인구가 많습니다",
}


def sentence(rng, count=12):
    return " ".join(rng.choice(WORDS) + str(rng.randint(10, 999)) for _ in range(count)).capitalize() + "."


def note(name, kind, text, headings=0, tables=0, fails=None):
    truth[name] = {"kind": kind, "text": text, "headings": headings, "tables": tables, "fails": fails}


def grid(rng, rows, columns):
    return [[f"{rng.choice(WORDS)}{rng.randint(10, 999)}" for _ in range(columns)] for _ in range(rows)]


def two_columns(rng, name):
    text = [sentence(rng, 40) for _ in range(10)]
    half = (A4[0] - 120) / 2
    frames = [Frame(50 + at * (half + 20), 50, half, A4[1] - 100, id=str(at)) for at in (0, 1)]
    document = BaseDocTemplate(str(folder / name), pagesize=A4)
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build([part for line in text for part in (Paragraph(line, styles["BodyText"]), Spacer(1, 8))])
    note(name, "two columns", text)


def narrow_columns(rng, name):
    """Columns that are 10 points apart, as LaTeX sets papers, under a title and authors that span both, with a figure's caption."""
    title, text = sentence(rng, 5), [sentence(rng, 45) for _ in range(16)]
    half = (A4[0] - 110) / 2
    frames = [Frame(50, A4[1] - 110, A4[0] - 100, 60, id="top"), *(Frame(50 + at * (half + 10), 50, half, A4[1] - 170, 0, 0, 0, 0, id=str(at)) for at in (0, 1))]
    document = BaseDocTemplate(str(folder / name), pagesize=A4)
    document.addPageTemplates([PageTemplate(frames=frames)])
    style = ParagraphStyle("narrow", parent=styles["BodyText"], alignment=4)
    document.build([Paragraph(title, styles["Title"]), FrameBreak(), *(Paragraph(line, style) for line in text)])
    note(name, "two columns, 10 points apart", [title, *text], headings=1)


def ruled_table(rng, name):
    before, after, cells = sentence(rng), sentence(rng), grid(rng, 5, rng.randint(2, 4))
    table = Table(cells, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
    parts = [Paragraph(before, styles["BodyText"]), Spacer(1, 12), table, Spacer(1, 12), Paragraph(after, styles["BodyText"])]
    SimpleDocTemplate(str(folder / name), pagesize=A4).build(parts)
    note(name, "ruled table", [before, *(cell for row in cells for cell in row), after], tables=1)


def headings(rng, name):
    parts, text = [], []
    for _ in range(3):
        title, body = sentence(rng, 3), sentence(rng, 60)
        parts += [Paragraph(title, styles["Heading1"]), Paragraph(body, styles["BodyText"])]
        text += [title, body]
    SimpleDocTemplate(str(folder / name), pagesize=A4).build(parts)
    note(name, "headings", text, headings=3)


def cjk(rng, name, font):
    pdfmetrics.registerFont(UnicodeCIDFont(font))
    lines = [CJK[font] + str(rng.randint(100, 999)) for _ in range(4)]
    page = canvas.Canvas(str(folder / name))
    page.setFont(font, 14)
    for index, line in enumerate(lines):
        page.drawString(72, 700 - 40 * index, line)
    page.save()
    note(name, "CJK, not embedded", lines)


def form(rng, name):
    page = canvas.Canvas(str(folder / name))
    lines = []
    for index in range(5):
        line = sentence(rng, 3)
        page.drawString(72, 700 - 40 * index, line)
        page.acroForm.textfield(name=f"field{index}", x=320, y=690 - 40 * index, width=150, height=20, value="")
        lines.append(line)
    page.save()
    note(name, "form", lines)


def scanned(rng, name):
    picture = Image.new("L", (600, 800), 255)
    ImageDraw.Draw(picture).text((50, 50), sentence(rng), fill=0)
    picture.save(folder / name)
    note(name, "scanned", [], fails="NO_TEXT")


def encrypted(rng, name):
    page = canvas.Canvas(str(folder / name))
    page.drawString(72, 700, sentence(rng))
    page.save()
    writer = PdfWriter(clone_from=PdfReader(str(folder / name)))
    writer.encrypt("secret")
    writer.write(str(folder / name))
    note(name, "encrypted", [], fails="ENCRYPTED")


def word(rng, name):
    document, text = docx.Document(), []
    for _ in range(2):
        title, body = sentence(rng, 3), sentence(rng, 40)
        document.add_heading(title, 1)
        document.add_paragraph(body)
        text += [title, body]
        for style in ("List Bullet", "List Number"):
            text.append(sentence(rng, 4))
            document.add_paragraph(text[-1], style=style)
    cells = grid(rng, 3, 3)
    table = document.add_table(3, 3)
    for row, values in enumerate(cells):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
            text.append(value)
    document.save(folder / name)
    note(name, "Word", text, headings=2, tables=1)


def slides(rng, name):
    show, text = Presentation(), []
    for _ in range(3):
        slide = show.slides.add_slide(show.slide_layouts[1])
        title, body = sentence(rng, 3), [sentence(rng, 5), sentence(rng, 5)]
        slide.shapes.title.text, slide.placeholders[1].text = title, "\n".join(body)
        text += [title, *body]
    show.save(folder / name)
    note(name, "slides", text, headings=3)


def sheets(rng, name):
    book, text = openpyxl.Workbook(), []
    for index in range(2):
        sheet = book.active if index == 0 else book.create_sheet()
        sheet.title = f"Sheet{index}"
        text.append(sheet.title)
        for row in grid(rng, 6, 4):
            sheet.append(row)
            text += row
    book.save(folder / name)
    note(name, "sheets", text, headings=2, tables=2)


def by_pandoc(rng, name):
    text, source = [], []
    for _ in range(2):
        title, body, items, cells = sentence(rng, 3), sentence(rng, 40), [sentence(rng, 4) for _ in range(2)], grid(rng, 3, 3)
        source += [f"# {title}", body, "\n".join(f"- {item}" for item in items)]
        source.append("\n".join(["| " + " | ".join(cells[0]) + " |", "|---|---|---|", *("| " + " | ".join(row) + " |" for row in cells[1:])]))
        text += [title, body, *items, *(cell for row in cells for cell in row)]
    command = ["pandoc", "-s", "--metadata", "title=-", "-f", "gfm", "-o", str(folder / name)]
    subprocess.run(command, input="\n\n".join(source), text=True, check=True, stderr=subprocess.DEVNULL)
    note(name, f"pandoc's {name.rsplit('.', 1)[1]}", text, headings=3, tables=2)


folder.mkdir(parents=True, exist_ok=True)
rng = random.Random(7)
for index in range(per_kind):
    for make, label, extension in [
        (two_columns, "columns", "pdf"), (narrow_columns, "narrow", "pdf"), (ruled_table, "table", "pdf"), (headings, "headings", "pdf"), (form, "form", "pdf"),
        (scanned, "scanned", "pdf"), (encrypted, "encrypted", "pdf"), (word, "word", "docx"), (slides, "slides", "pptx"),
        (sheets, "sheets", "xlsx"), (by_pandoc, "text", "odt"), (by_pandoc, "text", "epub"), (by_pandoc, "text", "rtf"), (by_pandoc, "text", "html"),
    ]:
        make(rng, f"{label}-{index}.{extension}")
for font in list(CJK)[: 2 * per_kind]:
    cjk(rng, f"{font}.pdf", font)
(folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False))
