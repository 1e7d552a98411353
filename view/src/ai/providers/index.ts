// SPDX-License-Identifier: Apache-2.0
// The providers, in the order in which they are offered.
import type { Provider } from "../provider";
import { anthropic } from "./anthropic";
import { azure } from "./azure";
import { bedrock } from "./bedrock";
import { gemini } from "./gemini";
import { ollama } from "./ollama";
import { compatible, openai } from "./openai";

export const providers: readonly Provider[] = [bedrock, anthropic, azure, gemini, openai, ollama, compatible];
