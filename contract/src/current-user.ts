import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

/** Who is signed in: their claims, the names of their roles, and the organisations they belong to. */
export const CurrentUser = z
  .object({
    claims: z.object({
      sub: z.string(),
      /** The identity provider they came through. */
      idp: z.string(),
      name: z.optional(z.string()),
      preferred_username: z.optional(z.string()),
      email: z.optional(z.string()),
      /** When they last proved who they are, in seconds since 1970; 0 where their identity provider does not tell. */
      auth_time: z.int(),
    }),
    roles: z.array(z.string()),
    orgs: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })),
  })
  .check(z.meta({ id: 'CurrentUser' }))
export type CurrentUser = z.infer<typeof CurrentUser>

/** Has no ETag: a 304 is no OK answer, and any answer that is not OK means that nobody is signed in. */
export const getCurrentUser = endpoint('GET', '/passport/apphelper/user', {
  summary: 'Tell who is signed in',
  access: 'signedIn',
  bearer: true,
  polled: true,
  returns: json(CurrentUser),
})
