/* viewer.h - pictures of traces: the tour of this folder.
 *
 *     trace -> trace_index -> stage_map -> scene or figure -> drawing -> cairo | SVG | TikZ | text
 *                                                `-> terminal
 *
 * A scene (the window) or a figure (paper) is built as a drawing: a flat list of boxes, lines,
 * texts and marks with roles. Every output draws the same list, so that what you see is what you export.
 * This folder knows no kernel; it reads traces (instrument.h).
 *
 * drawing/ has the list and its colours, scene/ what the window shows, export/ pictures for paper (figure.h) and files
 * (export.h), window/ the desk and the window that it is in. A file includes the headers that it needs; this one
 * includes all.
 *
 * The unit of length is the point (1/72 inch); in the window it is the pixel. x grows to the
 * right, y downwards. Words (bank, lane, round, slot, ways, passes) are those of
 * doc/trace-format.md. A *word* is one bank cell: bank_bytes of shared memory; its bank is
 * word % banks, its column word / banks. A *step* is one (round, slot) of a stage, counted from 0.
 */
#ifndef BANKSCOPE_VIEWER_H
#define BANKSCOPE_VIEWER_H

#include "viewer/drawing/drawing.h"
#include "viewer/scene/scene.h"
#include "viewer/export/figure.h"
#include "viewer/export/export.h"
#include "viewer/window/window.h"

#endif
