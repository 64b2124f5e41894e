import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as users from '../users/store.ts'
import * as store from './avatar-store.ts'
import { type AvatarFile, applyAvatar, keepFiles } from './avatars.ts'

/** The files of an avatar from Ready Player Me; at least one. */
export interface ArchiveEntry {
  avatarId: string
  png: AvatarFile<'legacy-readyplayerme'> | undefined
  glb: AvatarFile<'legacy-readyplayerme'> | undefined
}

/**
 * Archives the avatar of a user, and uses its files where the user has none. Returns `unknown` for a missing user, and
 * `unchanged` if the same files are archived already.
 */
export async function archiveAvatar(
  sql: Sql,
  userId: string,
  { avatarId, png, glb }: ArchiveEntry,
  actor: audit.ActorFields,
): Promise<'archived' | 'unchanged' | 'unknown'> {
  return transaction(sql, async (sql) => {
    if (!(await users.lock(sql, userId))) return 'unknown'
    const before = await store.findArchived(sql, userId)
    const after = { avatarId, pngHash: png?.hash ?? null, glbHash: glb?.hash ?? null }
    const isSame = before?.avatarId === avatarId && before.pngHash === after.pngHash && before.glbHash === after.glbHash
    if (isSame) return 'unchanged'
    await keepFiles(sql, { png, glb })
    await store.saveArchived(sql, userId, after)
    await audit.record(sql, {
      ...actor,
      action: 'profile.avatar-archived',
      target: { kind: 'user', id: userId },
      ...(before && { before: { avatarId: before.avatarId, pngHash: before.pngHash, glbHash: before.glbHash } }),
      after,
    })
    await applyAvatar(sql, userId, { png, glb }, actor)
    return 'archived'
  })
}
