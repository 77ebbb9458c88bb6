# profiler.py - what global.sh and memory_passes.sh read of ncu's --csv --page raw.
import csv
import re


def bare(name):
    """The kernel of "void scan<int>(const int *, int)": "scan<int>"."""
    depth = 0
    for i in range(len(name) - 1, -1, -1):
        depth += (name[i] == ')') - (name[i] == '(')
        if name[i] == '(' and depth == 0:
            name = name[:i]
            break
    return re.sub(r'^void ', '', name)


def launches(path):
    """A launch after another: its numbers (text, without commas) and names by the columns' headings."""
    with open(path) as file:
        rows = list(csv.reader(line for line in file if not line.startswith('==')))
    for row in rows[2:]:  # behind the headings and their units
        yield {name: text if name == 'Kernel Name' else text.replace(',', '') for name, text in zip(rows[0], row)}
