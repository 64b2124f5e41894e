import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

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
  description: 'Responds 404 if this stack has no such client.',
  access: 'developer',
  returns: json(DeveloperTokensClient),
  fails: [404],
})
