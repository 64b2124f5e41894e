import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

/** The signed-in user: claims, role names, and organisations. */
export const CurrentUser = z
  .object({
    claims: z.object({
      sub: z.string(),
      /** The id of the identity provider that the user signed in with. */
      idp: z.string(),
      idp_name: z.string(),
      name: z.optional(z.string()),
      preferred_username: z.optional(z.string()),
      email: z.optional(z.string()),
      /** The absolute URL of the user's picture. */
      picture: z.optional(z.string()),
      /** The time of the last authentication, in seconds since 1970; 0 if the identity provider does not report it. */
      auth_time: z.int(),
    }),
    roles: z.array(z.string()),
    orgs: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })),
  })
  .check(z.meta({ id: 'CurrentUser' }))
export type CurrentUser = z.infer<typeof CurrentUser>

/** Has no ETag: a 304 is not an OK response, and clients read any non-OK response as signed out. */
export const getCurrentUser = endpoint('GET', '/passport/apphelper/user', {
  summary: 'Get the current user',
  access: 'signedIn',
  bearer: true,
  polled: true,
  returns: json(CurrentUser),
})
