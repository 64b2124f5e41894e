import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

/** Settings of the sign-in client of the developer page; the names are those of the client library. */
export const DeveloperTokensClient = z
  .object({
    authority: z.string(),
    client_id: z.string(),
    redirect_uri: z.string(),
    post_logout_redirect_uri: z.string(),
    response_type: z.literal('code'),
    response_mode: z.literal('fragment'),
    scope: z.string(),
    automaticSilentRenew: z.boolean(),
    loadUserInfo: z.boolean(),
  })
  .check(z.meta({ id: 'DeveloperTokensClient' }))
export type DeveloperTokensClient = z.infer<typeof DeveloperTokensClient>

export const getDeveloperTokensClient = endpoint('GET', '/passport/developer/tokens/client', {
  summary: 'Get the sign-in client for developer tokens',
  description: 'Responds with 404 if this stack has no such client.',
  access: 'developer',
  returns: json(DeveloperTokensClient),
  fails: [404],
})

/** A valid developer token. The token itself is not stored; `id` only names it. */
export const DeveloperToken = z
  .object({ id: z.string(), scopes: z.array(z.string()), issuedAt: Instant, expiresAt: Instant })
  .check(z.meta({ id: 'DeveloperToken' }))
export type DeveloperToken = z.infer<typeof DeveloperToken>

export const listDeveloperTokens = endpoint('GET', '/passport/developer/tokens', {
  summary: "List the caller's developer tokens, newest first",
  description: 'Returns the last 20 tokens that are still valid.',
  access: 'developer',
  returns: json(z.array(DeveloperToken)),
})
export const revokeDeveloperToken = endpoint('DELETE', '/passport/developer/tokens/{id}', {
  summary: 'Revoke a developer token',
  access: 'developer',
  params: z.object({ id: z.string() }),
  fails: [404],
})
