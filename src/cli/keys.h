/* SPDX-License-Identifier: Apache-2.0 */
/* Keys for AI providers from the environment, for `view --api-keys-from-env`. */
#ifndef SCALENE_CLI_KEYS_H
#define SCALENE_CLI_KEYS_H

/* A JSON object of those variables that are set, by their names. The caller wipes and frees it
 * with keys_free. */
char *keys_from_environment(void);
void keys_free(char *keys);

#endif
