import { truncateText } from '../http/problem.ts'
import { cutText, toStorableText } from '../http/storable-text.ts'

/** The longest body that the log keeps, in UTF-16 code units. */
const maxLength = 8 * 1024

const secretName = /password|secret|token|authorization/i
/** The local part of an email address in any text, percent-encoded or not. */
const localPart = /[^\s"'<>()[\],;:=&?/\\]{1,256}(@|%40)(?=[\w.-])/gi
/** The longest match, and the character after it. */
const maxMatch = 260

/** Hides the local parts of email addresses in a text. */
export const redactText = (text: string): string => text.replace(localPart, '***$1')

/** Returns a JSON body for the log, without passwords, tokens and local parts of email addresses, truncated. */
export function redactBody(body: unknown): string | null {
  if (body === undefined || body === null) return null
  // What follows is cut off below, and to search all texts of a large body would take seconds.
  let left = maxLength
  const text = JSON.stringify(body, (name, value: unknown) => {
    if (secretName.test(name) && value !== null && typeof value !== 'object') return '***'
    if (isSecretOperation(value)) return { ...value, value: '***' }
    if (typeof value !== 'string') return value
    const redacted = left > 0 ? redactText(cutText(value, left + maxMatch)) : ''
    left -= redacted.length
    return redacted
  })
  return truncateText(text, maxLength)
}

/** Reports whether a value is a PATCH operation on a secret attribute. */
const isSecretOperation = (value: unknown): value is { path: string; value: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  secretName.test(value.path) &&
  'value' in value &&
  value.value !== '***'

/** Returns the path and query of a request for the log, decoded where that is possible. */
export function redactPath(path: string): string {
  const text = path.slice(0, 2048)
  try {
    return toStorableText(redactText(decodeURIComponent(text.replaceAll('+', ' '))), 2048)
  } catch {
    return redactText(text)
  }
}
