import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { action } from './request-body.ts'

const Claims = z.record(z.string(), z.unknown())

/** The result of a test sign-in: what the application would get, or why the provider refuses its request. */
export const SignInTest = z
  .object({
    /** The authorization request that was tested. */
    request: z.string(),
    /** An error at the provider is shown to the user; others are returned to the redirect URI. */
    refusal: z.nullable(z.object({ error: z.string(), description: z.string(), isReturned: z.boolean() })),
    /** Whether the caller would be asked for consent; null for a refused request. */
    consent: z.nullable(z.enum(['never', 'remembered', 'asked'])),
    /** Without the values of a single sign-in, such as `nonce` and `sid`; null without the scope `openid`. */
    idToken: z.nullable(z.object({ alg: z.string(), claims: Claims })),
    /** The claims are null for an opaque token, which only the user-info endpoint accepts. */
    accessToken: z.nullable(z.object({ claims: z.nullable(Claims) })),
    userInfo: z.nullable(Claims),
    hasRefreshToken: z.boolean(),
  })
  .check(z.meta({ id: 'SignInTest' }))
export type SignInTest = z.infer<typeof SignInTest>

export const testClientSignIn = endpoint('POST', '/passport/admin/identity/clients/{clientId}/testsignin', {
  summary: 'Test the sign-in of an application as yourself',
  description:
    'The provider validates the authorization request; the claims are those that it would issue. Signs nobody in and stores nothing. An application cannot call it, because it has no account.',
  access: 'admin',
  rateLimit: { requests: 30, perSeconds: 60, by: 'caller' },
  params: z.object({ clientId: z.string() }),
  body: action(
    z.object({
      redirectUri: z.string().check(z.maxLength(2000)),
      scope: z._default(z.string().check(z.maxLength(2000)), 'openid profile email'),
      /** Whether the request has a code challenge (RFC 7636). */
      pkce: z._default(z.boolean(), true),
    }),
  ),
  returns: json(SignInTest),
  fails: [404],
})
