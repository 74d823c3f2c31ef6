"""Prints the text of a presentation or a workbook, as python-pptx and openpyxl read it."""

import datetime
import sys

import openpyxl
from pptx import Presentation

path = sys.argv[1]


def shapes_of(shapes):
    for shape in shapes:
        if shape.shape_type == 6:
            yield from shapes_of(shape.shapes)
        else:
            yield shape


def text_of(value):
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return str(value.date())
    if isinstance(value, bool):
        return str(value).upper()
    return str(value)


if path.endswith(".pptx"):
    for slide in Presentation(path).slides:
        for shape in shapes_of(slide.shapes):
            if shape.has_text_frame:
                print(shape.text_frame.text)
            elif shape.has_table:
                for row in shape.table.rows:
                    print("\t".join(cell.text for cell in row.cells))
else:
    for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
        print(sheet.title)
        for row in sheet.iter_rows(values_only=True):
            print("\t".join(text_of(value) for value in row if value is not None))
