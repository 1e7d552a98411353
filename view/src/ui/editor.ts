// SPDX-License-Identifier: Apache-2.0
// From a line on the page to the same line in an editor: by a message where the page is shown inside
// Visual Studio Code, else by its link.

type VsCodeApi = { postMessage: (message: { command: "jumpToLine"; filePath: string; lineNumber: number }) => void };

declare global {
    interface Window {
        acquireVsCodeApi?: () => VsCodeApi;
    }
}

let api: VsCodeApi | null = null;

export const editorLink = (path: string, line: number): string => `vscode://file${path.startsWith("/") ? "" : "/"}${encodeURI(path).replaceAll("#", "%23").replaceAll("?", "%3F")}:${line}`;

/** True when a message was enough; the link must not be followed then. */
export function tellEditor(path: string, line: number): boolean {
    // It may be called only once in the life of a page.
    api ??= window.acquireVsCodeApi?.() ?? null;
    api?.postMessage({ command: "jumpToLine", filePath: path, lineNumber: line });
    return api !== null;
}
