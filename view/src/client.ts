// SPDX-License-Identifier: Apache-2.0
// Asks the engine: in its worker, or, where a browser lets a page from disk have none, right here.
import { Engine, type Answers, type Question } from "./data/engine";

/** The bundled text of worker.ts; build/bundle.mjs puts it here. */
declare const WORKER_SOURCE: string;

type Kind = Question["kind"];
type Of<K extends Kind> = Omit<Extract<Question, { kind: K }>, "kind">;
type Waiting = { resolve: (answer: Answers[Kind]) => void; reject: (error: Error) => void };
type Reply = { id: number; answer?: Answers[Kind]; error?: string };

export class Client {
    private readonly waiting = new Map<number, Waiting>();
    private readonly worker: Worker | null;
    private readonly local = new Engine();
    private n = 0;

    constructor() {
        this.worker = makeWorker();
        if (this.worker) this.worker.onmessage = (event: MessageEvent<Reply>) => this.settle(event.data);
    }

    ask<K extends Kind>(kind: K, rest: Of<K>): Promise<Answers[K]> {
        const question = { kind, ...rest } as unknown as Question;
        const id = ++this.n;
        return new Promise<Answers[Kind]>((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            if (this.worker) this.worker.postMessage({ id, question });
            else setTimeout(() => this.settle(this.answerHere(id, question)));
        }) as Promise<Answers[K]>;
    }

    private answerHere(id: number, question: Question): Reply {
        try {
            return { id, answer: this.local.answer(question) };
        } catch (e) {
            return { id, error: (e as Error).message };
        }
    }

    private settle({ id, answer, error }: Reply): void {
        const waiting = this.waiting.get(id);
        this.waiting.delete(id);
        if (error !== undefined) waiting?.reject(new Error(error));
        else waiting?.resolve(answer!);
    }
}

function makeWorker(): Worker | null {
    try {
        return new Worker(URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" })));
    } catch {
        return null;
    }
}
