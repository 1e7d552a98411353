// SPDX-License-Identifier: Apache-2.0
// The panel of proposals: what is wanted, who is asked, what will be sent, what came back.
import type { Signal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { useEffect } from "preact/hooks";
import { Answer, CopyButton } from "./Answer";
import type { LineOrRegion, Profile } from "./context";
import { change, conversationOn, start, stop, type Conversation } from "./conversation";
import { destination, Fields } from "./Fields";
import { previewOf } from "./preview";
import { makePrompt, type Goal } from "./prompt";
import { missingFields, type Provider, type Question } from "./provider";
import { choices, choose, chosenProvider, modelOf, readEnvironment, settingsOf } from "./settings";

type Props = { context: LineOrRegion; profile: Profile; conversation: Signal<Conversation> };

function Wish(): JSX.Element {
    const radio = (goal: Goal, label: string): JSX.Element => (
        <label class="ai-check"><input type="radio" name="ai-goal" checked={choices.value.goal === goal} onChange={() => choose({ goal })}/> {label}</label>
    );
    return (
        <fieldset class="ai-row">
            <legend>Make it</legend>
            {radio("time", "faster")}
            {radio("memory", "need less memory")}
            <label class="ai-check"><input type="checkbox" checked={choices.value.useGpu} onChange={(event) => choose({ useGpu: event.currentTarget.checked })}/> with a GPU</label>
        </fieldset>
    );
}

/** What is asked: made from the wish, or as the user has changed it. */
function questionOf({ context, profile, conversation }: Props): { system: string; user: string } {
    const { goal, useGpu } = choices.value;
    const { system, user } = makePrompt(context, profile, { goal, useGpu });
    return { system, user: conversation.value.edited ?? user };
}

function QuestionText({ text, conversation }: { text: string; conversation: Signal<Conversation> }): JSX.Element {
    const onEdit = (edited: string | null): void => change(conversation, { edited });
    return (
        <>
            <div class="ai-row">
                <label for="ai-question">The question; change it as you like</label>
                {conversation.value.edited !== null && <button type="button" onClick={() => onEdit(null)}>As it was</button>}
            </div>
            <textarea id="ai-question" rows={Math.min(24, text.split("\n").length + 1)} spellcheck={false} value={text} onInput={(event) => onEdit(event.currentTarget.value)} />
        </>
    );
}

function Preview({ provider, question, conversation }: { provider: Provider; question: Question; conversation: Signal<Conversation> }): JSX.Element {
    return (
        <details class="ai-preview">
            <summary>What will be sent to {destination(provider) || "the provider"}</summary>
            <QuestionText text={question.prompt.user} conversation={conversation} />
            <pre tabIndex={0} aria-label="The request">{previewOf(provider, question)}</pre>
        </details>
    );
}

function Manner(): JSX.Element {
    return (
        <div class="ai-row">
            <label class="ai-check"><input type="checkbox" checked={choices.value.isStreamed} onChange={(event) => choose({ isStreamed: event.currentTarget.checked })} /> show the answer as it comes</label>
            <label class="ai-check">give up after <input id="ai-patience" type="number" min={1} max={3600} value={choices.value.patienceS}
                onChange={(event) => choose({ patienceS: Math.min(3600, Math.max(1, Number(event.currentTarget.value) || 120)) })} /> s of silence</label>
        </div>
    );
}

function Served(props: Props): JSX.Element {
    const { context, conversation } = props;
    useEffect(() => void readEnvironment(), []);
    const provider = chosenProvider();
    const question: Question = { settings: settingsOf(provider), model: modelOf(provider), prompt: questionOf(props), isStreamed: choices.value.isStreamed };
    const missing = [...missingFields(provider, question.settings), ...(question.model.trim() ? [] : [provider.modelLabel ?? "Model"])];
    const { answer, isBusy, isDone, isCut, note } = conversation.value;
    return (
        <>
            <Wish />
            <div class="ai-fields"><Fields provider={provider} /></div>
            <Manner />
            <Preview provider={provider} question={question} conversation={conversation} />
            <div class="ai-row">
                <button type="button" class="ai-send" disabled={isBusy || missing.length > 0} onClick={() => void start(conversation, provider, question)}>Ask {provider.name}</button>
                {isBusy && <button type="button" onClick={() => stop(conversation)}>Stop</button>}
                <span role="status" class="ai-note">{missing.length && !note ? `Still needed: ${missing.join(", ")}.` : note}</span>
            </div>
            {answer !== "" && <Answer context={context} answer={answer} isDone={isDone} isCut={isCut} />}
        </>
    );
}

/** A page in a file can send nothing; the question can still be taken elsewhere. */
function InFile(props: Props): JSX.Element {
    const { system, user } = questionOf(props);
    return (
        <>
            <p>This page is a file and can send nothing. Opened by <code>scalene view</code> it can ask a provider; here the question can be copied.</p>
            <Wish />
            <QuestionText text={user} conversation={props.conversation} />
            <div class="ai-row"><CopyButton label="Copy the question" text={`${system}\n\n${user}\n`} /></div>
        </>
    );
}

export function Panel({ context, profile, isServed }: { context: LineOrRegion; profile: Profile; isServed: boolean }): JSX.Element {
    const props: Props = { context, profile, conversation: conversationOn(context) };
    const { isOpen } = props.conversation.value;
    const onToggle = (event: TargetedEvent<HTMLDetailsElement>): void => {
        if (event.target === event.currentTarget) change(props.conversation, { isOpen: event.currentTarget.open });
    };
    return (
        <details class="ai" open={isOpen} onToggle={onToggle}>
            <summary>Ask an AI for a better {context.kind === "line" ? "line" : "region"}</summary>
            {isOpen && (isServed ? <Served {...props} /> : <InFile {...props} />)}
        </details>
    );
}
