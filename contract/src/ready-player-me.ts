import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

/** The end of the service, a date. */
const retiredAt = '2026-01-31'

/** The id `me` stands for the caller. Only an administrator may read the archive of another user. */
const profileParams = z.object({ profileId: z.string() })

/** The avatar of a user that was archived from Ready Player Me, with absolute URLs of the copies. */
export const ArchivedAvatar = z
  .object({
    linked: z.literal(true),
    /** The id of the avatar at Ready Player Me. */
    avatarId: z.string(),
    glbUrl: z.nullable(z.string()),
    pngUrl: z.nullable(z.string()),
    archivedAt: Instant,
  })
  .check(z.meta({ id: 'ArchivedAvatar' }))
export type ArchivedAvatar = z.infer<typeof ArchivedAvatar>

export const getReadyPlayerMe = endpoint('GET', '/passport/account/{profileId}/readyplayerme', {
  summary: 'Get an avatar archived from Ready Player Me',
  description: 'Responds with 404 if no avatar of the user was archived before the service ended.',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(ArchivedAvatar),
  fails: [404],
})

/** The state of the service Ready Player Me, and whether an avatar of the user is archived. */
export const ReadyPlayerMeInfo = z
  .object({
    provider: z.literal('readyplayerme'),
    available: z.literal(false),
    status: z.literal('retired'),
    retiredAt: z.literal(retiredAt),
    reason: z.string(),
    linked: z.boolean(),
    createUrl: z.null(),
    alternatives: z.array(z.literal('upload')),
  })
  .check(z.meta({ id: 'ReadyPlayerMeInfo' }))
export type ReadyPlayerMeInfo = z.infer<typeof ReadyPlayerMeInfo>

export const getReadyPlayerMeInfo = endpoint('GET', '/passport/account/{profileId}/readyplayerme/info', {
  summary: 'Get the state of Ready Player Me',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(ReadyPlayerMeInfo),
  cacheControl: 'private, max-age=300',
  fails: [404],
})
