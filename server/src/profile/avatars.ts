import type { ModelSource, PictureSource } from '@passport/contract/avatar'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import * as store from './avatar-store.ts'
import { requireProfile } from './change.ts'
import type { ProfileRow } from './store.ts'

/** A checked file for an avatar; one without content is stored already. */
export interface AvatarFile<Source> {
  hash: string
  content: Uint8Array | undefined
  source: Source
}

/** The parts of an avatar to change: null removes one. */
export interface AvatarChange {
  png?: AvatarFile<PictureSource> | null | undefined
  glb?: AvatarFile<ModelSource> | null | undefined
}

/** Changes the picture and the model of a user together, and records the old and new files. Throws 404. */
export async function changeAvatar(
  sql: Sql,
  userId: string,
  change: AvatarChange,
  { caller, visit }: { caller: Caller; visit: Visit },
): Promise<ProfileRow> {
  return transaction(sql, async (sql) => {
    await users.lock(sql, userId)
    await recheckCaller(sql, caller)
    const before = await requireProfile(sql, userId)
    const after = applyChange(before, change)
    const names = ['pngHash', 'pngSource', 'glbHash', 'glbSource'] as const
    const changed = names.filter((name) => before[name] !== after[name])
    if (changed.length === 0) return before
    if (change.png) await keepFile(sql, change.png, 'image/png')
    if (change.glb) await keepFile(sql, change.glb, 'model/gltf-binary')
    await store.save(sql, userId, after)
    await users.touch(sql, [userId])
    await audit.record(sql, {
      action: 'profile.avatar-changed',
      actorId: caller.id,
      target: { kind: 'user', id: userId },
      before: Object.fromEntries(changed.map((name) => [name, before[name]])),
      after: Object.fromEntries(changed.map((name) => [name, after[name]])),
      visit,
    })
    return requireProfile(sql, userId)
  })
}

function applyChange(before: store.AvatarFields, { png, glb }: AvatarChange): store.AvatarFields {
  // A poster replaces only another one: a picture that the user chose is worth more.
  const isPicked = before.pngSource !== null && before.pngSource !== 'poster'
  const picture = png?.source === 'poster' && isPicked ? undefined : png
  return {
    pngHash: picture === undefined ? before.pngHash : (picture?.hash ?? null),
    pngSource: picture === undefined ? before.pngSource : (picture?.source ?? null),
    glbHash: glb === undefined ? before.glbHash : (glb?.hash ?? null),
    glbSource: glb === undefined ? before.glbSource : (glb?.source ?? null),
  }
}

async function keepFile(sql: Sql, { hash, content }: AvatarFile<unknown>, type: store.FileType) {
  if (content) await store.saveFile(sql, hash, type, content)
  else await store.keepFile(sql, hash, type)
}
