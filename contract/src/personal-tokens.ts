import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { entity } from './request-body.ts'
import { Line } from './text-fields.ts'

/** The most personal tokens of a user, expired ones not counted. */
export const maxPersonalTokens = 20
/** The maximum lifetime of a personal token, in days. */
export const maxPersonalTokenDays = 365
export const maxPersonalTokenName = 64
/** The time before the expiry in which a token is marked and its user is reminded by email, in days. */
export const reminderDays = 7

const Scope = z.object({ name: z.string(), description: z.string() })

/** A token that a user created for their own programs. Its value is returned only by the call that creates it. */
export const PersonalToken = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The first characters of the value, by which a user recognises it: `psp_Yk3x`. */
    start: z.string(),
    scopes: z.array(Scope),
    createdAt: Instant,
    /** May be in the past: an expired token is listed for 30 days. */
    expiresAt: Instant,
    /** Accurate to a minute; null if the token was never used. */
    lastUse: z.nullable(
      z.object({
        at: Instant,
        /** The network address that presented the token. */
        ip: z.string(),
        /** The application that received the token and introspected it; null for a call to this API. */
        client: z.nullable(z.object({ id: z.string(), name: z.string() })),
      }),
    ),
  })
  .check(z.meta({ id: 'PersonalToken' }))
export type PersonalToken = z.infer<typeof PersonalToken>

/** A new personal token with its value. */
export const CreatedPersonalToken = z
  .object({ token: PersonalToken, value: z.string() })
  .check(z.meta({ id: 'CreatedPersonalToken' }))
export type CreatedPersonalToken = z.infer<typeof CreatedPersonalToken>

export const listPersonalTokens = endpoint('GET', '/passport/account/tokens', {
  summary: "List the caller's personal tokens, newest first",
  access: 'signedIn',
  returns: json(z.array(PersonalToken)),
})

/** Those of enabled APIs that allow every client; `isEmphasized` marks the ones that users should think about. */
export const listPersonalTokenScopes = endpoint('GET', '/passport/account/tokens/scopes', {
  summary: 'List the scopes that a personal token may have',
  access: 'signedIn',
  returns: json(z.array(z.extend(Scope, { isEmphasized: z.boolean() }))),
})

/** The user is notified by email. */
export const createPersonalToken = endpoint('POST', '/passport/account/tokens', {
  summary: 'Create a personal token',
  description: `The value is returned only once. A user has at most ${maxPersonalTokens} tokens.`,
  access: 'signedIn',
  recent: true,
  rateLimit: { requests: 20, perSeconds: 60, by: 'caller' },
  body: entity(
    z.object({
      name: Line(maxPersonalTokenName, 'personal-token-name-invalid'),
      scopes: z.array(z.string()).check(z.minLength(1, 'Choose at least one scope.'), z.maxLength(100)),
      expiresInDays: z.int().check(z.minimum(1), z.maximum(maxPersonalTokenDays)),
    }),
  ),
  returns: json(CreatedPersonalToken),
  creates: true,
  fails: [409],
})

export const revokePersonalToken = endpoint('DELETE', '/passport/account/tokens/{tokenId}', {
  summary: 'Revoke a personal token',
  access: 'signedIn',
  params: z.object({ tokenId: z.string() }),
  fails: [404],
})

const userParams = z.object({ userId: z.string() })

export const listUserPersonalTokens = endpoint('GET', '/passport/admin/users/{userId}/tokens', {
  summary: 'List the personal tokens of a user, newest first',
  access: 'admin',
  params: userParams,
  returns: json(z.array(PersonalToken)),
  fails: [404],
})

/** The user is notified by email. */
export const revokeUserPersonalToken = endpoint('DELETE', '/passport/admin/users/{userId}/tokens/{tokenId}', {
  summary: 'Revoke a personal token of a user',
  access: 'admin',
  params: z.extend(userParams, { tokenId: z.string() }),
  fails: [404],
})
