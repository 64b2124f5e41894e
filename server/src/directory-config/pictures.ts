import type { DirectoryConfig } from '@passport/contract/directory-config'
import { type EncodedPicture, encodePicture, hashOf } from '../branding/pictures.ts'
import * as store from '../branding/store.ts'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import { InvalidDocument } from './invalid-document.ts'

const prefix = 'data:image/png;base64,'

/** Returns a picture as the directory file has it. */
export const toPictureUrl = (content: Buffer): string => prefix + content.toString('base64')

const toBytes = (url: string): Buffer => Buffer.from(url.slice(prefix.length), 'base64')

/** Returns the hash of a picture of the directory file. */
export const hashOfUrl = (url: string): string => hashOf(toBytes(url))

/** Reads a stored picture as the directory file has it. */
export const readPictureUrl = async (sql: Sql, hash: string | null): Promise<string | null> =>
  hash === null ? null : toPictureUrl(await store.readFile(sql, hash))

/**
 * Replaces the pictures of a document by those that would be stored, so that an applied document has no differences.
 * Returns those that are not stored yet. Throws `InvalidDocument`.
 */
export async function encodePictures(sql: Sql, { branding, orgBrandings }: DirectoryConfig) {
  const pictures = new Map<string, EncodedPicture>()
  async function encode(url: string | null, field: string): Promise<string | null> {
    if (url === null || (await store.findFile(sql, hashOfUrl(url), 'image/png'))) return url
    const picture = await encodeUrl(url, field)
    const encoded = toPictureUrl(picture.content)
    pictures.set(encoded, picture)
    return encoded
  }
  const encodedBranding = branding && {
    ...branding,
    logo: await encode(branding.logo, 'branding.logo'),
    favicon: await encode(branding.favicon, 'branding.favicon'),
  }
  const encodedOrgBrandings = []
  for (const [index, entry] of (orgBrandings ?? []).entries())
    encodedOrgBrandings.push({ ...entry, logo: await encode(entry.logo, `orgBrandings[${index}].logo`) })
  return {
    branding: encodedBranding,
    orgBrandings: orgBrandings && encodedOrgBrandings,
    pictures,
  }
}

async function encodeUrl(url: string, field: string): Promise<EncodedPicture> {
  try {
    return await encodePicture(toBytes(url), field)
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error
    throw new InvalidDocument(error.errors)
  }
}
