// SPDX-License-Identifier: Apache-2.0
// The thread that reads profiles, so that the page never waits for one.
self.onmessage = (event: MessageEvent<string>) => {
    const profile: unknown = JSON.parse(event.data);
    self.postMessage(Object.keys(profile as object));
};
