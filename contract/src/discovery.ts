import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

/** What a client must know before anyone signs in. */
export const Discovery = z
  .object({
    brandName: z.string(),
    stack: z.string(),
    authority: z.url(),
    issuer: z.url(),
    openidConfiguration: z.url(),
    apiVersions: z.array(z.string()),
    identityProviders: z.array(z.object({ id: z.string(), name: z.string(), kind: z.enum(['oidc', 'local']) })),
    features: z.object({
      deviceFlow: z.boolean(),
      devTokens: z.boolean(),
      awsMarketplace: z.boolean(),
      metaHorizon: z.boolean(),
    }),
  })
  .check(z.meta({ id: 'Discovery' }))
export type Discovery = z.infer<typeof Discovery>

export const discover = endpoint('GET', '/passport/discovery', {
  summary: 'Tell what a client must know before sign-in',
  access: 'anyone',
  cacheControl: 'public, max-age=300',
  returns: json(Discovery),
})
