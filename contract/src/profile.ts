import * as z from 'zod/mini'
import { endpoint, json, scalar } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { Line } from './text-fields.ts'
import { Username } from './username.ts'

/** The display name of a user: 1 to 64 graphemes. */
export const DisplayName = Line(64, 'displayname-invalid')

const none = z.null()
const publicFields = {
  profileId: z.string(),
  displayname: z.nullable(z.string()),
  username: z.nullable(z.string()),
  /** Not supported yet. */
  avatarPngUrl: none,
}

/** A profile as shown to others. */
export const ProfileSummary = z.object(publicFields).check(z.meta({ id: 'ProfileSummary' }))
export type ProfileSummary = z.infer<typeof ProfileSummary>

/** The full profile of a user. */
export const Profile = z
  .object({
    ...publicFields,
    avatar: none,
    avatarGlbUrl: none,
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Profile' }))
export type Profile = z.infer<typeof Profile>

/** `me` is the caller; only an administrator may change another profile. */
const profileParams = z.object({ profileId: z.string() })

/**
 * Administrators search all users by word prefix or full email. Other callers find members of their organisations and
 * groups by prefix, and any user by exact username; their query needs 2 characters or more.
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
  body: json(z.object({ displayname: z.optional(DisplayName), username: z.optional(Username) })),
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
  description: 'Responds 404 if the user has none.',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(z.object({ username: z.string() }), { plainField: 'username' }),
  fails: [404],
})
/** A released name is reserved for 90 days for its former owner; a username can be changed 3 times in 30 days. */
export const claimUsername = endpoint('POST', '/passport/profile/{profileId}/username', {
  summary: 'Claim a username',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  body: scalar('username', Username),
  returns: json(z.object({ username: z.string() }), { plainField: 'username' }),
  fails: [404, 409, 429],
})

/** The result of checking whether a username can be claimed now. */
export const UsernameVerdict = z
  .object({
    /** In normalised form. */
    username: z.string(),
    verdict: z.enum(['free', 'yours', 'taken', 'invalid']),
    /** The error of an invalid username; otherwise null. */
    message: z.nullable(z.string()),
    /**
     * The number of remaining changes. If it is 0, `nextChangeAt` is the time of the next allowed change; otherwise
     * null.
     */
    changesLeft: z.int(),
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
