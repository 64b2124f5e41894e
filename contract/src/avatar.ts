import * as z from 'zod/mini'
import { endpoint, form, json, type RateLimit, scalar, storedFile } from './endpoint.ts'
import { Instant } from './instant.ts'

const mebibyte = 1024 * 1024
/** The maximum sizes of a picture and of a model, in bytes. */
export const maxPictureBytes = 5 * mebibyte
export const maxModelBytes = 15 * mebibyte
/** A form with both, and their headers. */
const maxFormBytes = 21 * mebibyte

/** The media types that a picture may have when it is uploaded; it is stored as PNG. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const
export const modelType = 'model/gltf-binary'

/** A `poster` is a picture of the model, which the app took when the model was uploaded. */
export const PictureSource = z.enum(['upload', 'url', 'poster', 'legacy-readyplayerme'])
export type PictureSource = z.infer<typeof PictureSource>
export const ModelSource = z.enum(['upload', 'url', 'legacy-readyplayerme'])
export type ModelSource = z.infer<typeof ModelSource>

const Url = z.nullable(z.string())

/** The picture and the model of a user, with absolute URLs. All fields are null, and `source` is `none`, without both. */
export const Avatar = z
  .object({
    pngUrl: Url,
    glbUrl: Url,
    pngSource: z.nullable(PictureSource),
    glbSource: z.nullable(ModelSource),
    /** The source of the model, or else of the picture. */
    source: z.enum([...PictureSource.options, 'none']),
    updatedAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'Avatar' }))
export type Avatar = z.infer<typeof Avatar>

/** The URL of a picture or model to import. The server downloads it once and stores a copy. */
const ImportUrl = z.string().check(z.minLength(1), z.maxLength(2048))

/** An omitted member keeps its value, and null removes it. `poster` marks the picture as one of the model. */
export const AvatarUpload = z.object({
  png: z.optional(z.file()),
  glb: z.optional(z.file()),
  poster: z.optional(z.literal('1')),
  pngUrl: z.optional(z.nullable(ImportUrl)),
  glbUrl: z.optional(z.nullable(ImportUrl)),
})
export type AvatarUpload = z.infer<typeof AvatarUpload>

/** The id `me` stands for the caller. Only an administrator may change the avatar of another user. */
const profileParams = z.object({ profileId: z.string() })

/** Shared by all calls that store a picture or a model. */
const writeLimit = { requests: 20, perSeconds: 60 * 60, by: 'caller', sharedAs: 'avatar-writes' } satisfies RateLimit
const write = { access: 'signedIn', bearer: true, params: profileParams, oneAtATime: 'avatar' } as const

export const getAvatar = endpoint('GET', '/passport/profile/{profileId}/avatar', {
  summary: 'Get an avatar',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(Avatar),
  fails: [404],
})
/**
 * Fails with 400 `avatar-invalid` for a file that is no valid picture or model, and for a call without any member; with
 * 400 `avatar-url-refused` or 502 `avatar-fetch-failed` for a URL that cannot be imported.
 */
export const uploadAvatar = endpoint('POST', '/passport/profile/{profileId}/avatar', {
  summary: 'Upload or import an avatar',
  description: 'Changes the picture, the model, or both together. Caches may keep a copy of a file for a year.',
  ...write,
  rateLimit: writeLimit,
  body: form(AvatarUpload, {
    files: {
      png: { types: pictureTypes, maxBytes: maxPictureBytes },
      glb: { types: [modelType], maxBytes: maxModelBytes },
    },
    maxBytes: maxFormBytes,
  }),
  returns: json(Avatar),
  fails: [404, 502],
})

const PngUrl = z.object({ pngurl: z.string() })
const GlbUrl = z.object({ glburl: z.string() })

export const getAvatarPngUrl = endpoint('GET', '/passport/profile/{profileId}/avatar/pngurl', {
  summary: "Get the URL of an avatar's picture",
  description: 'Responds with 404 if the user has no picture.',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(PngUrl, { plainField: 'pngurl' }),
  fails: [404],
})
export const putAvatarPngUrl = endpoint('PUT', '/passport/profile/{profileId}/avatar/pngurl', {
  summary: "Import an avatar's picture from a URL",
  description: 'Downloads the picture once, and returns the URL of the stored copy.',
  ...write,
  rateLimit: writeLimit,
  body: scalar('pngurl', ImportUrl),
  returns: json(PngUrl, { plainField: 'pngurl' }),
  fails: [404, 502],
})
export const deleteAvatarPngUrl = endpoint('DELETE', '/passport/profile/{profileId}/avatar/pngurl', {
  summary: "Remove an avatar's picture",
  ...write,
  fails: [404],
})

export const getAvatarGlbUrl = endpoint('GET', '/passport/profile/{profileId}/avatar/glburl', {
  summary: "Get the URL of an avatar's model",
  description: 'Responds with 404 if the user has no model.',
  access: 'signedIn',
  bearer: true,
  params: profileParams,
  returns: json(GlbUrl, { plainField: 'glburl' }),
  fails: [404],
})
export const putAvatarGlbUrl = endpoint('PUT', '/passport/profile/{profileId}/avatar/glburl', {
  summary: "Import an avatar's model from a URL",
  description: 'Downloads the model once, and returns the URL of the stored copy.',
  ...write,
  rateLimit: writeLimit,
  body: scalar('glburl', ImportUrl),
  returns: json(GlbUrl, { plainField: 'glburl' }),
  fails: [404, 502],
})
export const deleteAvatarGlbUrl = endpoint('DELETE', '/passport/profile/{profileId}/avatar/glburl', {
  summary: "Remove an avatar's model",
  ...write,
  fails: [404],
})

/** The file name has the SHA-256 of the whole file, so a URL never changes its content. */
export const getAvatarFile = endpoint('GET', '/passport/media/avatars/{file}', {
  summary: 'Get the file of an avatar',
  description: '`{hash}-96.png` is the picture `{hash}.png` scaled down to 96 pixels, for lists.',
  access: 'anyone',
  params: z.object({ file: z.string() }),
  returns: storedFile(['image/png', modelType]),
  openToAllOrigins: true,
  cacheControl: 'public, max-age=31536000, immutable',
  fails: [404],
})
