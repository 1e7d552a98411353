// SPDX-License-Identifier: Apache-2.0
// Stand-ins on loopback: a provider that writes down every request and answers as told, and
// `scalene view` itself.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";
import { SCALENE } from "../page.mjs";

/** What a browser asks before a request to elsewhere, and is allowed here. */
const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*, Authorization", "Access-Control-Allow-Methods": "*" };

/** Headers that the browser adds by itself; all others are ours. */
const BROWSERS_OWN = /^(host|connection|content-length|user-agent|accept|accept-.*|origin|sec-.*|cache-control|pragma|priority|referer|dnt)$/;

async function bodyOf(request) {
    let text = "";
    for await (const piece of request) text += piece;
    return text;
}

/** `answer(request, response)` is called for each request but the browser's own questions. */
export async function provider(answer) {
    const seen = [], all = [];
    const server = createServer(async (request, response) => {
        all.push(`${request.method} ${request.url}`);
        for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
        if (request.method === "OPTIONS") return response.writeHead(204).end();
        const body = await bodyOf(request);
        const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !BROWSERS_OWN.test(name)));
        seen.push({ method: request.method, url: request.url, headers, body: body && JSON.parse(body), raw: body, origin: request.headers.origin });
        await answer(seen.at(-1), response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    after(() => { server.closeAllConnections(); server.close(); });
    return { address: `http://127.0.0.1:${server.address().port}`, seen, all };
}

/** A running `scalene view`, until the tests are over. */
export async function view(args, env = {}) {
    const child = spawn(SCALENE, ["view", "--no-browser", ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(child.stdout, "data");
    after(() => child.kill("SIGKILL"));
    return { address: String(line).trim(), child };
}
