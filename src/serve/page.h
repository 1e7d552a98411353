/* SPDX-License-Identifier: Apache-2.0 */
/* The files of view/dist that the program contains (script/embed); empty if view/ was not built. */
#ifndef SCALENE_SERVE_PAGE_H
#define SCALENE_SERVE_PAGE_H

extern const char page_html[], page_html_end[];
extern const char page_courier[], page_courier_end[];

#endif
