import type { IncomingMessage } from 'node:http'
import { ScimError } from './scim-error.ts'

/** The largest body of a request: 10,000 members of a group with their names. */
const maxBodyBytes = 2 * 1024 * 1024

/** Reads the JSON body of a request; undefined for an empty one. Throws 400 `invalidSyntax`, 413 and 415. */
export async function readJsonBody(incoming: IncomingMessage): Promise<unknown> {
  const type = (incoming.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type && type !== 'application/scim+json' && type !== 'application/json')
    throw new ScimError(415, 'The Content-Type must be application/scim+json or application/json.')
  const text = await readText(incoming)
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new ScimError(400, 'The body is not valid JSON.', { scimType: 'invalidSyntax' })
  }
}

async function readText(incoming: IncomingMessage): Promise<string> {
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
  const bytes = Buffer.concat(chunks)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ScimError(400, 'The body must be UTF-8.', { scimType: 'invalidSyntax' })
  }
}
