import type { ModelSource, PictureSource } from '@passport/contract/avatar'
import type { Sql } from '../database/sql.ts'

/** The files of an avatar by their hashes; a file and its source are null together. */
export interface AvatarFields {
  pngHash: string | null
  pngSource: PictureSource | null
  glbHash: string | null
  glbSource: ModelSource | null
}

export type FileType = 'image/png' | 'model/gltf-binary'

/** Returns the hash of a user's picture. */
export async function findPictureHash(sql: Sql, userId: string): Promise<string | null> {
  const [row] = await sql<{ pngHash: string | null }[]>`select png_hash from avatars where user_id = ${userId}`
  return row?.pngHash ?? null
}

/** The content of a file; a picture has a small one too. */
export interface FileContent {
  content: Uint8Array
  small?: Uint8Array | undefined
}

/** Stores a file once, and keeps it for a user who is about to refer to it in this transaction. */
export async function saveFile(sql: Sql, hash: string, type: FileType, { content, small }: FileContent): Promise<void> {
  if (await keepFile(sql, hash, type, small)) return
  await sql`
    insert into avatar_files (hash, type, content, small)
    values (${hash}, ${type}, ${content as Buffer}, ${(small as Buffer | undefined) ?? null})
    on conflict (hash) do update set used_at = now()`
}

/** Keeps a stored file for a user who is about to refer to it, and adds its small picture; returns whether it exists. */
export async function keepFile(sql: Sql, hash: string, type: FileType, small?: Uint8Array): Promise<boolean> {
  const kept = await sql`
    update avatar_files set used_at = now(), small = coalesce(small, ${(small as Buffer | undefined) ?? null})
    where hash = ${hash} and type = ${type}`
  return kept.count > 0
}

/** Sets the files of an avatar. */
export async function save(sql: Sql, userId: string, avatar: AvatarFields): Promise<void> {
  const { pngHash, pngSource, glbHash, glbSource } = avatar
  await sql`
    insert into avatars (user_id, png_hash, png_source, glb_hash, glb_source)
    values (${userId}, ${pngHash}, ${pngSource}, ${glbHash}, ${glbSource})
    on conflict (user_id) do update set png_hash = excluded.png_hash, png_source = excluded.png_source,
      glb_hash = excluded.glb_hash, glb_source = excluded.glb_source, updated_at = now()`
}

/** An avatar that was archived from Ready Player Me, by the hashes of its files. */
export interface ArchivedAvatar {
  avatarId: string
  pngHash: string | null
  glbHash: string | null
  archivedAt: string
}

/** Returns the archived avatar of a user. */
export async function findArchived(sql: Sql, userId: string): Promise<ArchivedAvatar | undefined> {
  const [archived] = await sql<ArchivedAvatar[]>`
    select avatar_id, png_hash, glb_hash, archived_at from archived_avatars where user_id = ${userId}`
  return archived
}

/** Saves the archived avatar of a user; a later one replaces it. */
export async function saveArchived(
  sql: Sql,
  userId: string,
  { avatarId, pngHash, glbHash }: Omit<ArchivedAvatar, 'archivedAt'>,
): Promise<void> {
  await sql`
    insert into archived_avatars (user_id, avatar_id, png_hash, glb_hash)
    values (${userId}, ${avatarId}, ${pngHash}, ${glbHash})
    on conflict (user_id) do update set avatar_id = excluded.avatar_id, png_hash = excluded.png_hash,
      glb_hash = excluded.glb_hash, archived_at = now()`
}

/** Returns the size of a stored file in bytes; undefined without one of this type. */
export async function findFileSize(sql: Sql, hash: string, type: FileType): Promise<number | undefined> {
  const [row] = await sql<{ size: number }[]>`
    select octet_length(content) as size from avatar_files where hash = ${hash} and type = ${type}`
  return row?.size
}

/** Returns the small variant of a picture; undefined if there is none. */
export async function findSmallPicture(sql: Sql, hash: string): Promise<Buffer<ArrayBuffer> | undefined> {
  const [row] = await sql<{ small: Buffer<ArrayBuffer> }[]>`
    select small from avatar_files where hash = ${hash} and type = 'image/png' and small is not null`
  return row?.small
}

/** The number of bytes that are read at once. */
const readSize = 512 * 1024

/** Reads the bytes of a file from `start` to before `end`. Throws if the file was deleted at the same time. */
export async function* readFile(sql: Sql, hash: string, start: number, end: number) {
  for (let at = start; at < end; at += readSize) {
    const length = Math.min(readSize, end - at)
    const [row] = await sql<{ part: Buffer<ArrayBuffer> }[]>`
      select substring(content from ${at + 1} for ${length}) as part from avatar_files where hash = ${hash}`
    if (row?.part.length !== length) throw new Error(`the file ${hash} was deleted while it was sent`)
    yield row.part
  }
}

/** Deletes at most `limit` files that no avatar refers to; returns how many. */
export async function sweepFiles(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from avatar_files where hash in (
      select hash from avatar_files f
      where used_at < now() - interval '1 minute'
        and not exists (select from avatars where png_hash = f.hash)
        and not exists (select from avatars where glb_hash = f.hash)
        and not exists (select from archived_avatars where png_hash = f.hash)
        and not exists (select from archived_avatars where glb_hash = f.hash)
      limit ${limit})
    -- Checked again if a transaction that keeps the file has just ended.
    and used_at < now() - interval '1 minute'`
  return removed.count
}

/** Returns the size of the stored files on disk, and reads the first bytes of one to prove that they can be read. */
export async function readStorage(sql: Sql): Promise<{ bytes: number }> {
  const [row] = await sql<{ bytes: number }[]>`
    select pg_total_relation_size('avatar_files')::float8 as bytes,
      (select octet_length(substring(content from 1 for 64)) from avatar_files limit 1) as read`
  return { bytes: row?.bytes ?? 0 }
}
