import type { Avatar } from '@passport/contract/avatar'
import { getAvatarFile } from '@passport/contract/avatar'
import type { AvatarFields, FileType } from './avatar-store.ts'

const extensions = { 'image/png': 'png', 'model/gltf-binary': 'glb' } satisfies Record<FileType, string>

const toUrl = (publicUrl: string, hash: string | null, type: FileType) =>
  hash === null ? null : publicUrl + getAvatarFile.path.replace('{file}', `${hash}.${extensions[type]}`)

/** Returns the absolute URL of a picture. */
export const toPictureUrl = (publicUrl: string, hash: string | null): string | null =>
  toUrl(publicUrl, hash, 'image/png')

/** Returns the absolute URL of a model. */
export const toModelUrl = (publicUrl: string, hash: string | null): string | null =>
  toUrl(publicUrl, hash, 'model/gltf-binary')

interface FileName {
  hash: string
  type: FileType
  /** Whether it names the small variant of a picture. */
  isSmall: boolean
}

/** Parses the name of a file as it ends its URL. */
export function parseFileName(name: string): FileName | undefined {
  const [, hash, size, extension] = /^([0-9a-f]{64})(-96(?=\.png$))?\.(png|glb)$/.exec(name) ?? []
  if (hash === undefined) return undefined
  return { hash, type: extension === 'png' ? 'image/png' : 'model/gltf-binary', isSmall: size !== undefined }
}

/** Returns the file of a URL of this server, if it is that of an avatar. */
export function parseFileUrl(publicUrl: string, url: string): FileName | undefined {
  const prefix = publicUrl + getAvatarFile.path.replace('{file}', '')
  return url.startsWith(prefix) ? parseFileName(url.slice(prefix.length)) : undefined
}

/** Formats an avatar with absolute URLs. */
export function toAvatar(publicUrl: string, avatar: AvatarFields & { avatarUpdatedAt: string | null }): Avatar {
  const { pngHash, pngSource, glbHash, glbSource, avatarUpdatedAt } = avatar
  return {
    pngUrl: toPictureUrl(publicUrl, pngHash),
    glbUrl: toModelUrl(publicUrl, glbHash),
    pngSource,
    glbSource,
    source: glbSource ?? pngSource ?? 'none',
    updatedAt: avatarUpdatedAt,
  }
}
