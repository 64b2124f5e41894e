import * as z from 'zod/mini'
import { Avatar } from './avatar.ts'
import { endpoint, json, scalar } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { entity } from './request-body.ts'
import { Line } from './text-fields.ts'
import { Username } from './username.ts'

/** The display name of a user: 1 to 64 graphemes. */
export const DisplayName = Line(64, 'displayname-invalid')

const publicFields = {
  profileId: z.string(),
  displayname: z.nullable(z.string()),
  username: z.nullable(z.string()),
  avatarPngUrl: z.nullable(z.string()),
}

/** A profile as shown to others. */
export const ProfileSummary = z.object(publicFields).check(z.meta({ id: 'ProfileSummary' }))
export type ProfileSummary = z.infer<typeof ProfileSummary>

/** The full profile of a user. */
export const Profile = z
  .object({
    ...publicFields,
    /** Null if the user has neither a picture nor a model. */
    avatar: z.nullable(Avatar),
    avatarGlbUrl: z.nullable(z.string()),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Profile' }))
export type Profile = z.infer<typeof Profile>

/** The id `me` stands for the caller. Only an administrator may change another user's profile. */
const profileParams = z.object({ profileId: z.string() })

/**
 * Administrators search all users by prefixes of the words of their names and email addresses. Other callers find members of their organisations and
 * groups by prefix, and any user by exact username; their query needs at least 2 characters.
 */
export const listProfiles = endpoint('GET', '/passport/profile', {
  summary: 'Find profiles',
  access: 'signedIn',
  bearer: true,
  query: z.extend(PageQuery, { query: z._default(z.string().check(z.trim(), z.maxLength(100)), '') }),
  returns: json(page(ProfileSummary)),
})
export const getProfile = endpoint('GET', '/passport/profile/{profileId}', {
  summary: 'Get a profile',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(Profile),
  conditional: true,
  fails: [404],
})
/** Omitted fields keep their value. */
export const putProfile = endpoint('PUT', '/passport/profile/{profileId}', {
  summary: 'Update a profile',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  body: entity(z.object({ displayname: z.optional(DisplayName), username: z.optional(Username) })),
  returns: json(Profile),
  conditional: true,
  fails: [404, 409, 429],
})

export const getDisplayName = endpoint('GET', '/passport/profile/{profileId}/displayname', {
  summary: 'Get a display name',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(z.object({ displayname: z.nullable(z.string()) }), { plainField: 'displayname' }),
  fails: [404],
})
export const putDisplayName = endpoint('PUT', '/passport/profile/{profileId}/displayname', {
  summary: 'Set a display name',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  body: scalar('displayname', DisplayName),
  returns: json(z.object({ displayname: z.string() }), { plainField: 'displayname' }),
  fails: [404],
})

export const getUsername = endpoint('GET', '/passport/profile/{profileId}/username', {
  summary: 'Get a username',
  description: 'Responds with 404 if the user has no username.',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(z.object({ username: z.string() }), { plainField: 'username' }),
  fails: [404],
})
/**
 * A released username is reserved for its former owner for 90 days. A user can change their username 3 times in 30
 * days.
 */
export const claimUsername = endpoint('POST', '/passport/profile/{profileId}/username', {
  summary: 'Claim a username',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  body: scalar('username', Username),
  returns: json(z.object({ username: z.string() }), { plainField: 'username' }),
  fails: [404, 409, 429],
})

/** Whether a username can be claimed now. */
export const UsernameVerdict = z
  .object({
    /** The username in normalised form. */
    username: z.string(),
    verdict: z.enum(['free', 'yours', 'taken', 'invalid']),
    /** Why the username is invalid; null if it is valid. */
    message: z.nullable(z.string()),
    /** How many times the user can still change their username now. */
    changesLeft: z.int(),
    /** The time of the next allowed change if `changesLeft` is 0; otherwise null. */
    nextChangeAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'UsernameVerdict' }))
export type UsernameVerdict = z.infer<typeof UsernameVerdict>

export const checkUsername = endpoint('GET', '/passport/profile/{profileId}/username/check', {
  summary: 'Check whether a username is available',
  access: 'signedIn',
  rateLimit: { requests: 120, perSeconds: 60, by: 'caller' },
  params: profileParams,
  query: z.object({ username: z.string().check(z.maxLength(100)) }),
  returns: json(UsernameVerdict),
  fails: [404],
})
