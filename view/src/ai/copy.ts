// SPDX-License-Identifier: Apache-2.0
// To the clipboard, also where the browser gives pages none of their own.

export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const isCopied = document.execCommand("copy");
        area.remove();
        return isCopied;
    }
}
