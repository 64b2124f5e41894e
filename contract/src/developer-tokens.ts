import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

/** What the sign-in client of the developer's page must be told; the names are those of its settings. */
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
  summary: 'Tell the sign-in client by which developers get tokens; 404 where this stack has none',
  access: 'developer',
  returns: json(DeveloperTokensClient),
  fails: [404],
})
