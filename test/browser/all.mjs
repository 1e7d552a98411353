// SPDX-License-Identifier: Apache-2.0
// All browser tests in one process, so that they share one browser.
import "./first_screen.test.mjs";
import "./framed.test.mjs";
import "./numbers.test.mjs";
import "./parts.test.mjs";
import "./safety.test.mjs";
import "./table.test.mjs";
import "./views.test.mjs";
