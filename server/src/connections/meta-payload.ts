import { removeInvisible } from '@passport/contract/invisible'
import { normaliseLine } from '@passport/contract/text-fields'
import * as z from 'zod/mini'
import { parseForeignJson } from '../http/foreign-json.ts'
import { cutText } from '../http/storable-text.ts'

/** The response of Meta's sign-in: a code, and the id of the account for the organisation of the app. */
export interface MetaResponse {
  code: string
  /** The `org_scoped_id`. */
  externalId: string
}

const MetaPayload = z.object({
  code: z.string().check(z.minLength(1), z.maxLength(4096)),
  org_scoped_id: z.string().check(z.regex(/^\d{1,32}$/)),
})

const maxLabel = 100

/**
 * Parses the fragment of Meta's redirect: JSON in base64 or base64url, possibly percent-encoded. Returns undefined if it
 * is anything else.
 */
export function parseMetaPayload(payload: string): MetaResponse | undefined {
  try {
    const bytes = Buffer.from(decodeURIComponent(payload), 'base64')
    const { code, org_scoped_id: externalId } = z.parse(MetaPayload, parseForeignJson(bytes))
    return { code, externalId }
  } catch {
    return undefined
  }
}

/** Returns the name of an account as one visible line; the id of the account if nothing is left of it. */
export function readLabel(name: string, externalId: string): string {
  const line = removeInvisible(normaliseLine(name, maxLabel)).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return cutText(line.toWellFormed(), maxLabel).trim() || externalId
}
