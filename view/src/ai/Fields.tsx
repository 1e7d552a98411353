// SPDX-License-Identifier: Apache-2.0
// Who is asked, and with what: provider, model, keys, addresses.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listModels } from "./ask";
import { originOf } from "./carry";
import { valueOf, type Field, type Provider } from "./provider";
import { providers } from "./providers/index";
import { choices, choose, fillIn, modelOf, settingsOf, variableOf } from "./settings";

/** Text that no browser offers to keep: the field is no password to it, only looks like one. */
function FieldInput({ provider, field }: { provider: Provider; field: Field }): JSX.Element {
    const [isShown, setShown] = useState(false);
    const variable = variableOf(field);
    const value = choices.value.fields[provider.id]?.[field.name] ?? "";
    const name = `ai-${provider.id}-${field.name}`;
    const placeholder = variable ? `from ${variable}` : field.fallback || field.hint || "";
    return (
        <div class="ai-field">
            <label for={name}>{field.label}{field.isOptional ? <small> (optional)</small> : null}</label>
            <input id={name} type="text" class={field.isSecret && !isShown ? "ai-secret" : ""} value={value} placeholder={placeholder}
                title={field.hint ?? ""} autocomplete="off" autocapitalize="off" spellcheck={false} data-1p-ignore data-lpignore="true"
                onInput={(event) => fillIn(provider, field.name, event.currentTarget.value)} />
            {field.isSecret && (
                <button type="button" aria-label={`${isShown ? "Hide" : "Show"} ${field.label}`} onClick={() => setShown(!isShown)}>{isShown ? "Hide" : "Show"}</button>
            )}
        </div>
    );
}

/** The lists that were fetched, by the provider and its address. */
const lists = new Map<string, string[]>();

function ModelInput({ provider }: { provider: Provider }): JSX.Element {
    const [note, setNote] = useState("");
    const settings = settingsOf(provider);
    const listed = lists.get(`${provider.id} ${valueOf(provider, settings, "url")}`) ?? provider.models;
    const refresh = async (): Promise<void> => {
        setNote("asking …");
        try {
            const models = await listModels(provider, settings, { patienceS: 30, stop: new AbortController().signal });
            lists.set(`${provider.id} ${valueOf(provider, settings, "url")}`, models);
            if (!models.includes(modelOf(provider))) choose({ models: { ...choices.value.models, [provider.id]: models[0]! } });
            setNote(`${models.length} models`);
        } catch (why) {
            setNote(why instanceof Error ? why.message : String(why));
        }
    };
    return (
        <div class="ai-field">
            <label for="ai-model">{provider.modelLabel ?? "Model"}</label>
            <input id="ai-model" type="text" list="ai-models" value={modelOf(provider)} autocomplete="off" spellcheck={false}
                onInput={(event) => choose({ models: { ...choices.value.models, [provider.id]: event.currentTarget.value } })} />
            <datalist id="ai-models">{listed.map((model) => <option value={model} />)}</datalist>
            {provider.listModels && <button type="button" onClick={() => void refresh()}>List models</button>}
            <small role="status">{note}</small>
        </div>
    );
}

/** Where a request would go, for labels; empty while the address is none. */
export function destination(provider: Provider): string {
    try {
        return originOf(provider.ask({ settings: settingsOf(provider), model: "m", prompt: { system: "", user: "" }, isStreamed: false }).url);
    } catch {
        return "";
    }
}

export function Fields({ provider }: { provider: Provider }): JSX.Element {
    const hasSecrets = provider.fields.some((field) => field.isSecret);
    return (
        <>
            <div class="ai-field">
                <label for="ai-provider">Provider</label>
                <select id="ai-provider" value={provider.id} onChange={(event) => choose({ provider: event.currentTarget.value })}>
                    {providers.map(({ id, name }) => <option value={id}>{name}</option>)}
                </select>
            </div>
            <ModelInput key={`${provider.id}-model`} provider={provider} />
            {provider.fields.map((field) => <FieldInput key={`${provider.id}-${field.name}`} provider={provider} field={field} />)}
            {hasSecrets && (
                <label class="ai-check">
                    <input type="checkbox" checked={choices.value.keepsKeys} onChange={(event) => choose({ keepsKeys: event.currentTarget.checked })} />
                    keep my keys in this browser, readable to any page served from this port
                </label>
            )}
        </>
    );
}
