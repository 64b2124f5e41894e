import type { AvatarUpload, ModelSource, PictureSource } from '@passport/contract/avatar'
import { maxModelBytes, maxPictureBytes } from '@passport/contract/avatar'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { Consume } from '../http/rate-limit.ts'
import * as store from './avatar-store.ts'
import { parseFileUrl } from './avatar-url.ts'
import type { AvatarChange, AvatarFile } from './avatars.ts'
import type { CheckModel } from './model.ts'
import type { ConvertPicture } from './picture.ts'
import { avatarFetchFailed, avatarInvalid, avatarUrlRefused } from './problems.ts'

interface Dependencies {
  sql: Sql
  /** The origin of this server, and hosts of the own network that the operator allows, also on other ports. */
  config: Pick<Config, 'publicUrl' | 'allowedPrivateHosts'>
  httpClient: HttpClient
  convertPicture: ConvertPicture
  checkModel: CheckModel
  countImport: Consume
}

/** Creates functions that check a file and compute its hash. */
export function createFileChecks(convertPicture: ConvertPicture, checkModel: CheckModel) {
  return {
    readPicture: async <Source>(bytes: Uint8Array, source: Source): Promise<AvatarFile<Source>> => {
      const file = await convertPicture(bytes)
      return { hash: await hashOf(file.content), file, source }
    },
    readModel: async <Source>(bytes: Uint8Array<ArrayBuffer>, source: Source): Promise<AvatarFile<Source>> => {
      return { hash: await checkModel(bytes), file: { content: bytes }, source }
    },
  }
}

/** Reads and checks the files of an upload, and downloads those that it names by URL. */
export function createFileReader({ sql, config, httpClient, convertPicture, checkModel, countImport }: Dependencies) {
  const { readPicture, readModel } = createFileChecks(convertPicture, checkModel)
  /** Returns a stored file of this server by its URL, so that a URL that was read can be written again. */
  const findOwn = async (url: string, type: store.FileType): Promise<AvatarFile<'url'> | undefined> => {
    const own = parseFileUrl(config.publicUrl, url)
    if (own?.type !== type || (await store.findFileSize(sql, own.hash, type)) === undefined) return undefined
    return { hash: own.hash, file: undefined, source: 'url' }
  }
  const download = async (field: string, url: string, maxBytes: number, callerId: string) => {
    const message = findUrlError(url, config)
    if (message !== undefined) throw avatarUrlRefused(field, message)
    await countImport(callerId)
    const bytes = await httpClient.download(url, { maxBytes }).catch(() => undefined)
    if (!bytes) throw avatarFetchFailed()
    return bytes
  }

  const importPicture = async (url: string, field: string, callerId: string): Promise<AvatarFile<PictureSource>> =>
    (await findOwn(url, 'image/png')) ??
    readPicture(await download(field, url, maxPictureBytes, callerId), 'url' as const)
  const importModel = async (url: string, field: string, callerId: string): Promise<AvatarFile<ModelSource>> =>
    (await findOwn(url, 'model/gltf-binary')) ??
    readModel(await download(field, url, maxModelBytes, callerId), 'url' as const)

  return {
    importPicture,
    importModel,
    readUpload: async ({ png, glb, poster, pngUrl, glbUrl }: AvatarUpload, callerId: string): Promise<AvatarChange> => {
      if (!png && !glb && pngUrl === undefined && glbUrl === undefined) throw avatarInvalid('body', [nothing])
      const change: AvatarChange = { png: pngUrl === null ? null : undefined, glb: glbUrl === null ? null : undefined }
      if (png) change.png = await readPicture(await bytesOf(png), poster ? 'poster' : 'upload')
      else if (typeof pngUrl === 'string') change.png = await importPicture(pngUrl, 'pngUrl', callerId)
      if (glb) change.glb = await readModel(await bytesOf(glb), 'upload')
      else if (typeof glbUrl === 'string') change.glb = await importModel(glbUrl, 'glbUrl', callerId)
      return change
    },
  }
}

const nothing = { code: 'avatar-missing', message: 'Send a picture, a model, or the URL of one.' }

const bytesOf = async (file: File) => new Uint8Array(await file.arrayBuffer())

/** Computes the SHA-256 outside of the main thread. */
const hashOf = async (bytes: Uint8Array<ArrayBuffer>) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')

/** Returns why a URL may not be imported; undefined if it may. The addresses of its host are checked later. */
function findUrlError(text: string, { publicUrl, allowedPrivateHosts }: Dependencies['config']): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') return 'The URL must begin with https://.'
  if (url.username || url.password) return 'The URL must not contain a user name or a password.'
  if (url.port !== '' && !allowedPrivateHosts.includes(url.host)) return 'The URL must not name a port.'
  if (/(?:^|\.)readyplayer\.me\.?$/.test(url.hostname))
    return 'Ready Player Me ended on 31 January 2026, and its URLs no longer work. Upload the file instead.'
  if (url.origin === publicUrl) return 'The URL is on this server, but not that of an avatar.'
  return undefined
}
