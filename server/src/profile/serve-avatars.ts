import * as api from '@passport/contract/avatar'
import type { Feature } from '../feature.ts'
import { notFound } from '../http/problems.ts'
import * as store from './avatar-store.ts'
import { parseFileName, toAvatar, toModelUrl, toPictureUrl } from './avatar-url.ts'
import { changeAvatar } from './avatars.ts'
import { requireProfile } from './change.ts'
import { createModelChecker } from './model.ts'
import { requireOwnProfile, resolveProfileId } from './own-profile.ts'
import { convertPicture } from './picture.ts'
import * as problems from './problems.ts'
import { createFileReader } from './read-file.ts'

/** The number of downloads in an hour for one user. */
const importLimit = { name: 'avatar-imports', requests: 10, perSeconds: 60 * 60 }

/** Reads and changes avatars, and sends their files. */
export const serveAvatars: Feature = ({ serve }, { config, http, sql, httpClient }) => {
  const { publicUrl } = config
  const checkModel = createModelChecker()
  const countImport = http.limitCaller(importLimit)
  const files = createFileReader({ sql, config, httpClient, convertPicture, checkModel, countImport })

  serve(api.getAvatar, async ({ params, caller }) =>
    toAvatar(publicUrl, await requireProfile(sql, resolveProfileId(params, caller))),
  )

  serve(api.uploadAvatar, async ({ params, body, ...context }) => {
    const id = requireOwnProfile(params, context.caller)
    await requireProfile(sql, id)
    const change = await files.readUpload(body, context.caller.id)
    return toAvatar(publicUrl, await changeAvatar(sql, id, change, context))
  })

  serve(api.getAvatarPngUrl, async ({ params, caller }) => {
    const { pngHash } = await requireProfile(sql, resolveProfileId(params, caller))
    return { pngurl: toPictureUrl(publicUrl, pngHash) ?? throwUnset() }
  })
  serve(api.putAvatarPngUrl, async ({ params, body, ...context }) => {
    const id = requireOwnProfile(params, context.caller)
    await requireProfile(sql, id)
    const png = await files.importPicture(body, 'pngurl', context.caller.id)
    const { pngHash } = await changeAvatar(sql, id, { png }, context)
    return { pngurl: toPictureUrl(publicUrl, pngHash) ?? throwUnset() }
  })
  serve(api.deleteAvatarPngUrl, async ({ params, ...context }) => {
    await changeAvatar(sql, requireOwnProfile(params, context.caller), { png: null }, context)
  })

  serve(api.getAvatarGlbUrl, async ({ params, caller }) => {
    const { glbHash } = await requireProfile(sql, resolveProfileId(params, caller))
    return { glburl: toModelUrl(publicUrl, glbHash) ?? throwUnset() }
  })
  serve(api.putAvatarGlbUrl, async ({ params, body, ...context }) => {
    const id = requireOwnProfile(params, context.caller)
    await requireProfile(sql, id)
    const glb = await files.importModel(body, 'glburl', context.caller.id)
    const { glbHash } = await changeAvatar(sql, id, { glb }, context)
    return { glburl: toModelUrl(publicUrl, glbHash) ?? throwUnset() }
  })
  serve(api.deleteAvatarGlbUrl, async ({ params, ...context }) => {
    await changeAvatar(sql, requireOwnProfile(params, context.caller), { glb: null }, context)
  })

  serve(api.getAvatarFile, async ({ params }) => {
    const file = parseFileName(params.file)
    if (!file) throw notFound('File')
    const { hash, type, isSmall } = file
    const small = isSmall && (await store.findSmallPicture(sql, hash))
    if (small) {
      const read = (start: number, end: number) => [small.subarray(start, end)]
      return { type, size: small.length, etag: `${hash}-96`, read }
    }
    const size = await store.findFileSize(sql, hash, type)
    if (size === undefined) throw notFound('File')
    return { type, size, etag: hash, read: (start, end) => store.readFile(sql, hash, start, end) }
  })
}

function throwUnset(): never {
  throw problems.avatarUnset()
}
