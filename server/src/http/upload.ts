import type { Content } from '@passport/contract/endpoint'
import { invalidEncoding, invalidForm, tooLarge } from './problems.ts'

const urlEncoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'
/** The content types of a form that a page submits. */
export const pageFormTypes = [urlEncoded, multipart]

/** More than any form has; a form of many empty parts would take long to parse. */
const maxParts = 16

/** How a request body with files is read. */
interface Upload {
  contentType: string
  maxBytes: number
  /** The name of the file that is the whole body; undefined for a form. */
  wholeBody: string | undefined
}

/** Returns how to read a body with files; undefined for any other content type. */
export function selectUpload(content: Content, contentType: string | undefined): Upload | undefined {
  const { files, isPageForm, maxBytes = 0 } = content
  if (!files || contentType === undefined) return undefined
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === multipart || (isPageForm && type === urlEncoded)) return { contentType, maxBytes, wholeBody: undefined }
  for (const [name, file] of Object.entries(files))
    if (file.types.includes(type)) return { contentType: type, maxBytes: file.maxBytes, wholeBody: name }
  return undefined
}

/** Reads the members of an upload: files as `File`, other parts as text. Throws 400 and 413. */
export async function readUpload(
  { files = {} }: Content,
  { contentType, wholeBody }: Upload,
  bytes: ArrayBuffer,
): Promise<Record<string, File | string>> {
  if (wholeBody !== undefined)
    return { [wholeBody]: new File([new Uint8Array(bytes)], wholeBody, { type: contentType }) }
  const form = await parseForm(contentType, bytes)
  for (const [name, value] of form) {
    const limit = files[name]?.maxBytes ?? 0
    if (value instanceof File && name in files && value.size > limit)
      throw tooLarge(`The part ${name} must have at most ${limit} bytes.`)
  }
  return Object.fromEntries(form)
}

async function parseForm(contentType: string, bytes: ArrayBuffer): Promise<Iterable<[string, File | string]>> {
  if (contentType.trim().toLowerCase().startsWith(urlEncoded)) return parseUrlEncoded(bytes)
  const boundary = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))/i.exec(contentType)?.slice(1).find(Boolean)
  if (boundary === undefined || countParts(boundary, bytes) > maxParts) throw invalidForm()
  try {
    // The boundary by which the parts were counted: another reading of the header could find more of them.
    const type = `${multipart}; boundary="${boundary}"`
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    throw invalidForm()
  }
}

function parseUrlEncoded(bytes: ArrayBuffer): URLSearchParams {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidEncoding()
  }
  if (text.split('&', maxParts + 1).length > maxParts) throw invalidForm()
  return new URLSearchParams(text)
}

/** Counts the parts of a form, up to one more than allowed. */
function countParts(boundary: string, bytes: ArrayBuffer): number {
  const delimiter = `--${boundary}`
  const body = Buffer.from(bytes)
  let count = 0
  for (let at = body.indexOf(delimiter); at >= 0 && count <= maxParts + 1; at = body.indexOf(delimiter, at + 1)) count++
  return count - 1
}
