/* viewer.h - pictures of traces: the tour of this folder.
 *
 *     trace -> trace_index -> stage_map -> scene or figure -> drawing -> cairo | SVG | TikZ | text
 *                                                `-> terminal
 *
 * A scene (the window) or a figure (paper) is built as a drawing: a flat list of boxes, lines,
 * texts and marks with roles. Every output draws the same list, so that what you see is what you export.
 * This folder knows no kernel; it reads traces (instrument.h).
 *
 * drawing.h has the list and its colours, scene.h what the window shows, figure.h pictures for paper, export.h files,
 * window.h the window with its desk. A file includes those that it needs; this header includes all.
 *
 * The unit of length is the point (1/72 inch); in the window it is the pixel. x grows to the
 * right, y downwards. Words (bank, lane, round, slot, ways, passes) are those of
 * doc/trace-format.md. A *word* is one bank cell: bank_bytes of shared memory; its bank is
 * word % banks, its column word / banks. A *step* is one (round, slot) of a stage, counted from 0.
 */
#ifndef BANKSCOPE_VIEWER_H
#define BANKSCOPE_VIEWER_H

#include "viewer/drawing.h"
#include "viewer/scene.h"
#include "viewer/figure.h"
#include "viewer/export.h"
#include "viewer/window.h"

#endif
