import * as z from 'zod/mini'
import { endpoint, json, scalar } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { Line } from './text-fields.ts'
import { Username } from './username.ts'

/** What people are called: 1 to 64 characters as people count them. */
export const DisplayName = Line(64, 'displayname-invalid')

const none = z.null()
const known = {
  profileId: z.string(),
  displayname: z.nullable(z.string()),
  username: z.nullable(z.string()),
  /** Not yet. */
  avatarPngUrl: none,
}

/** A person as others find them. */
export const FoundProfile = z.object(known).check(z.meta({ id: 'FoundProfile' }))
export type FoundProfile = z.infer<typeof FoundProfile>

/** A person as they show themselves. */
export const Profile = z
  .object({ ...known, avatar: none, avatarGlbUrl: none, createdAt: Instant, updatedAt: Instant, version: z.int() })
  .check(z.meta({ id: 'Profile' }))
export type Profile = z.infer<typeof Profile>

/** `me` is the caller; only an administrator may change someone else. */
const one = z.object({ profileId: z.string() })

/**
 * Administrators find everyone, by the beginnings of words or by the whole e-mail. Others find whoever has exactly this
 * username, and by beginnings those who are in an organisation or group with them; they ask with 2 characters or more.
 */
export const listProfiles = endpoint('GET', '/passport/profile', {
  summary: 'Find people',
  access: 'signedIn',
  bearer: true,
  query: z.extend(PageQuery, { query: z._default(z.string().check(z.trim(), z.maxLength(100)), '') }),
  returns: json(page(FoundProfile)),
})
export const getProfile = endpoint('GET', '/passport/profile/{profileId}', {
  summary: 'Get one profile',
  access: 'signedIn',
  bearer: true,
  params: one,
  returns: json(Profile),
  conditional: true,
  fails: [404],
})
/** What is left out stays as it is. */
export const putProfile = endpoint('PUT', '/passport/profile/{profileId}', {
  summary: 'Change one profile',
  access: 'signedIn',
  bearer: true,
  params: one,
  body: json(z.object({ displayname: z.optional(DisplayName), username: z.optional(Username) })),
  returns: json(Profile),
  conditional: true,
  fails: [404, 409, 429],
})

export const getDisplayName = endpoint('GET', '/passport/profile/{profileId}/displayname', {
  summary: 'Get what a person is called',
  access: 'signedIn',
  bearer: true,
  params: one,
  returns: json(z.object({ displayname: z.nullable(z.string()) }), { plainField: 'displayname' }),
  fails: [404],
})
export const putDisplayName = endpoint('PUT', '/passport/profile/{profileId}/displayname', {
  summary: 'Change what a person is called',
  access: 'signedIn',
  bearer: true,
  params: one,
  body: scalar('displayname', DisplayName),
  returns: json(z.object({ displayname: z.string() }), { plainField: 'displayname' }),
  fails: [404],
})

export const getUsername = endpoint('GET', '/passport/profile/{profileId}/username', {
  summary: 'Get the username of a person; 404 where they have none',
  access: 'signedIn',
  bearer: true,
  params: one,
  returns: json(z.object({ username: z.string() }), { plainField: 'username' }),
  fails: [404],
})
/** Nobody gets a name within 90 days after someone else gave it up, and nobody changes theirs more than 3 times in 30 days. */
export const claimUsername = endpoint('POST', '/passport/profile/{profileId}/username', {
  summary: 'Claim a username',
  access: 'signedIn',
  bearer: true,
  params: one,
  body: scalar('username', Username),
  returns: json(z.object({ username: z.string() }), { plainField: 'username' }),
  fails: [404, 409, 429],
})

/** Whether a username could be claimed now, before it is. */
export const UsernameVerdict = z
  .object({
    /** As it would be written. */
    username: z.string(),
    verdict: z.enum(['free', 'yours', 'taken', 'invalid']),
    /** What is wrong with it, where it is invalid. */
    message: z.nullable(z.string()),
    /** How often the person may change theirs before `nextChangeAt`, which is null while they may. */
    changesLeft: z.int(),
    nextChangeAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'UsernameVerdict' }))
export type UsernameVerdict = z.infer<typeof UsernameVerdict>

export const checkUsername = endpoint('GET', '/passport/profile/{profileId}/username/check', {
  summary: 'Tell whether a username is free',
  access: 'signedIn',
  rateLimit: { requests: 120, perSeconds: 60, by: 'caller' },
  params: one,
  query: z.object({ username: z.string().check(z.maxLength(100)) }),
  returns: json(UsernameVerdict),
  fails: [404],
})
