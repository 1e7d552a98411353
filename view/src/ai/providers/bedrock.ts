// SPDX-License-Identifier: Apache-2.0
// Amazon Bedrock: models of several makers, each with the body its maker wants; requests are signed.
import { at } from "../json";
import { base, JSON_TYPE, valueOf, type Piece, type Provider, type Question, type Settings } from "../provider";
import { sign } from "../sigv4";
import { readMessage, readMessageEvent } from "./anthropic";
import { readChatPiece, readChatWhole } from "./openai";

const ANSWER_TOKENS = 65536;

const isClaude = (model: string): boolean => model.includes("anthropic.");

/** There is no place for a system prompt in all of them, so it stands before the question. */
const text = ({ prompt }: Question): string => `${prompt.system}\n\n${prompt.user}`;

function body(question: Question): object {
    if (!isClaude(question.model))
        return { max_completion_tokens: ANSWER_TOKENS, messages: [{ role: "user", content: text(question) }] };
    return {
        anthropic_version: "bedrock-2023-05-31",
        max_tokens: ANSWER_TOKENS,
        messages: [{ role: "user", content: [{ type: "text", text: text(question) }] }],
    };
}

/** Some models think aloud before they answer. */
const withoutReasoning = (piece: Piece): Piece => ({ ...piece, text: piece.text.replace(/<reasoning>[\s\S]*?<\/reasoning>\s*/g, "") });

const isChat = (json: unknown): boolean => at(json, "choices") !== undefined;

function address(settings: Settings): string {
    const custom = valueOf(bedrock, settings, "url");
    return custom ? base(custom) : `https://bedrock-runtime.${valueOf(bedrock, settings, "region")}.amazonaws.com`;
}

export const bedrock: Provider = {
    id: "amazon",
    name: "Amazon Bedrock",
    fields: [
        { name: "id", label: "Access key ID", environment: ["AWS_ACCESS_KEY_ID"], isSecret: true },
        { name: "secret", label: "Secret access key", isSecret: true, environment: ["AWS_SECRET_ACCESS_KEY"] },
        { name: "token", label: "Session token", isSecret: true, isOptional: true, environment: ["AWS_SESSION_TOKEN"], hint: "with temporary keys only" },
        { name: "region", label: "Region", isOptional: true, fallback: "us-east-1", environment: ["AWS_DEFAULT_REGION", "AWS_REGION"] },
        { name: "url", label: "Endpoint", isOptional: true, hint: "if it is not the region's own" },
    ],
    models: ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-opus-4-5-20251124-v1:0",
        "us.anthropic.claude-haiku-4-5-20251015-v1:0"],
    packing: "aws",
    ask: (question) => ({
        url: `${address(question.settings)}/model/${encodeURIComponent(question.model)}/invoke${question.isStreamed ? "-with-response-stream" : ""}`,
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify(body(question)),
    }),
    seal(parcel, settings, now) {
        const value = (name: string): string => valueOf(bedrock, settings, name);
        const token = value("token");
        const credentials = { id: value("id"), secret: value("secret"), ...(token ? { token } : {}) };
        return sign(parcel, credentials, { region: value("region"), service: "bedrock" }, now);
    },
    readWhole: (json) => withoutReasoning(isChat(json) ? readChatWhole(json) : readMessage(json)),
    readPiece: (json) => (isChat(json) ? readChatPiece(json) : readMessageEvent(json)),
};
