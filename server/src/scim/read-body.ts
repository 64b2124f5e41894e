import type { IncomingMessage } from 'node:http'
import { parseForeignJson, UnusableJson } from '../http/foreign-json.ts'
import { ScimError } from './scim-error.ts'

/** The largest body of a request: 10,000 members of a group with their names. */
const maxBodyBytes = 2 * 1024 * 1024

/**
 * Reads the JSON body of a request; undefined for an empty one. Texts that cannot be stored are left to the reader of each
 * value: one of them does not refuse the others. Throws 400 `invalidSyntax`, 413 and 415.
 */
export async function readJsonBody(incoming: IncomingMessage): Promise<unknown> {
  const type = (incoming.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type && type !== 'application/scim+json' && type !== 'application/json')
    throw new ScimError(415, 'The Content-Type must be application/scim+json or application/json.')
  const bytes = await readBytes(incoming)
  if (bytes.length === 0) return undefined
  try {
    return parseForeignJson(bytes, { maxBytes: maxBodyBytes, isPartlyRead: true })
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error
    const { flaw, message } = error
    if (flaw === 'too-large') throw new ScimError(413, `The body ${message}.`)
    throw new ScimError(400, flaw === 'invalid-json' ? 'The body is not valid JSON.' : `The body ${message}.`, {
      scimType: 'invalidSyntax',
    })
  }
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const tooLarge = () =>
    new ScimError(413, `The body has more than ${maxBodyBytes / 1024 / 1024} MiB, and nothing was changed.`, {
      help: 'Send at most 10,000 members of a group in one request.',
      headers: { Connection: 'close' },
    })
  if (Number(incoming.headers['content-length']) > maxBodyBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBodyBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ScimError) throw error
    throw new ScimError(400, 'The body is incomplete.', { scimType: 'invalidSyntax' })
  }
  return Buffer.concat(chunks)
}
