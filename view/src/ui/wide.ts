// SPDX-License-Identifier: Apache-2.0
// Whether there is room for all the usual columns.
import { signal } from "@preact/signals";

const query = matchMedia("(min-width: 900px), print");

export const isWide = signal(query.matches);

query.addEventListener("change", () => (isWide.value = query.matches));
