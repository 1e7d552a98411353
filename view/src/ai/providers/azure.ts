// SPDX-License-Identifier: Apache-2.0
// Azure OpenAI: the model is a deployment of the user's own.
import { base, JSON_TYPE, valueOf, type Provider } from "../provider";
import { chatBody, readChatPiece, readChatWhole } from "./openai";

export const azure: Provider = {
    id: "azure-openai",
    name: "Azure OpenAI",
    fields: [
        { name: "key", label: "API key", isSecret: true, environment: ["AZURE_OPENAI_API_KEY"] },
        { name: "url", label: "Endpoint", environment: ["AZURE_OPENAI_ENDPOINT"], hint: "https://NAME.openai.azure.com" },
        { name: "version", label: "API version", isOptional: true, fallback: "2024-02-15-preview" },
    ],
    models: ["gpt-4.1", "gpt-4.1-mini", "gpt-4o", "o3-mini"],
    modelLabel: "Deployment",
    packing: "sse",
    ask(question) {
        const value = (name: string): string => valueOf(azure, question.settings, name);
        const path = `/openai/deployments/${encodeURIComponent(question.model)}/chat/completions`;
        return {
            url: `${base(value("url"))}${path}?api-version=${encodeURIComponent(value("version"))}`,
            method: "POST",
            headers: { ...JSON_TYPE, "api-key": value("key") },
            body: chatBody(question, {}),
        };
    },
    readWhole: readChatWhole,
    readPiece: readChatPiece,
};
