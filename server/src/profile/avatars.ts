import type { ModelSource, PictureSource } from '@passport/contract/avatar'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import * as store from './avatar-store.ts'
import { requireProfile } from './change.ts'
import { avatarFetchFailed } from './problems.ts'
import type { ProfileRow } from './store.ts'

/** A checked file for an avatar; one without a file is stored already. */
export interface AvatarFile<Source> {
  hash: string
  file: store.FileContent | undefined
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
    return applyAvatar(sql, userId, change, { actorId: caller.id, visit })
  })
}

/** Like `changeAvatar`, in a transaction that has locked the user. */
export async function applyAvatar(
  sql: Sql,
  userId: string,
  change: AvatarChange,
  actor: audit.ActorFields,
): Promise<ProfileRow> {
  const before = await requireProfile(sql, userId)
  const after = mergeChange(before, change)
  const names = ['pngHash', 'pngSource', 'glbHash', 'glbSource'] as const
  const changed = names.filter((name) => before[name] !== after[name])
  if (changed.length === 0) return before
  await keepFiles(sql, change)
  await store.save(sql, userId, after)
  await users.touch(sql, [userId])
  await audit.record(sql, {
    ...actor,
    action: 'profile.avatar-changed',
    target: { kind: 'user', id: userId },
    before: Object.fromEntries(changed.map((name) => [name, before[name]])),
    after: Object.fromEntries(changed.map((name) => [name, after[name]])),
  })
  return requireProfile(sql, userId)
}

/** Stores the files of a change for a reference in this transaction. */
export async function keepFiles(sql: Sql, { png, glb }: AvatarChange): Promise<void> {
  if (png) await keepFile(sql, png, 'image/png')
  if (glb) await keepFile(sql, glb, 'model/gltf-binary')
}

function mergeChange(before: store.AvatarFields, { png, glb }: AvatarChange): store.AvatarFields {
  const isPictureKept = png === undefined || (png !== null && !replaces(png.source, before.pngSource))
  const isModelKept = glb === undefined || (glb !== null && !replaces(glb.source, before.glbSource))
  return {
    pngHash: isPictureKept ? before.pngHash : (png?.hash ?? null),
    pngSource: isPictureKept ? before.pngSource : (png?.source ?? null),
    glbHash: isModelKept ? before.glbHash : (glb?.hash ?? null),
    glbSource: isModelKept ? before.glbSource : (glb?.source ?? null),
  }
}

/** Reports whether a file replaces another: one that the user chose is replaced only by another choice. */
const replaces = (next: PictureSource, before: PictureSource | null): boolean =>
  next === 'upload' || next === 'url' || before === null || before === next

/** Throws 502 if a file that was found before has been deleted since. */
async function keepFile(sql: Sql, { hash, file }: AvatarFile<unknown>, type: store.FileType) {
  if (file) await store.saveFile(sql, hash, type, file)
  else if (!(await store.keepFile(sql, hash, type))) throw avatarFetchFailed()
}
